"""Which text is in this picture?  By RapidOCR, which carries three models."""
import numpy as np
import cv2
from rapidocr_onnxruntime import RapidOCR

engine = RapidOCR()
for text in ("ONNX Runtime 1.31", "Hello world", "two lines"):
    picture = np.full((160, 640, 3), 255, np.uint8)
    cv2.putText(picture, text, (20, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    cv2.putText(picture, text[::-1], (20, 130), cv2.FONT_HERSHEY_SIMPLEX, 1.5,
                (0, 0, 0), 3)
    result, _ = engine(picture)
    print([line[1] for line in result or []])
