/* calibration.h -- how a measured idle power is kept: in a run of its own, so
 * that it belongs to the machine that it was measured on. */
#pragma once

#define CALIBRATION_TAG "calibration"
