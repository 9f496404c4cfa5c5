# expect: value {"id": 3, "at": "2024-01-01"}
from datetime import date


class Model:
    def model_dump(self, **options):
        return {"id": 3, "at": date(2024, 1, 1)}


Model()
