# expect: contained
class Leaving:
    def __repr__(self):
        raise SystemExit(0)

    def model_dump(self, **options):
        raise KeyboardInterrupt


Leaving()
