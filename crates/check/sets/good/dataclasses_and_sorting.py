from dataclasses import dataclass, field, asdict


@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)
    tags: list[str] = field(default_factory=list, compare=False)


jobs = [Job(2, "b"), Job(1, "a", ["x"]), Job(3, "c")]
[asdict(job) for job in sorted(jobs)]
