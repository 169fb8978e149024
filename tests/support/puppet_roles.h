/* puppet_roles.h -- what tests and tests/programs/puppet.c agree on. */
#pragma once

enum {
    PUPPET_MANY = 2003, /* threads on the order 'm', */
    PUPPET_FEW = 5,     /* and on 'f' */
    PUPPET_SWITCHES = 211,
    PUPPET_PAGES = 4099
};
