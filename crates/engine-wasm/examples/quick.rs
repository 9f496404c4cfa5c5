//! Scratch timing.
use engine::*;
use engine_wasm::cache::Cache;
use engine_wasm::install::*;
use engine_wasm::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
struct Echo;
impl Host for Echo {
    fn answer(&self, c: &HostCall) -> Option<CallResult> {
        Some(CallResult::ok(c.id, c.arguments.clone()))
    }
}
fn p(name: &str, mut v: Vec<Duration>) {
    v.sort();
    println!(
        "{name:40} p50 {:?} p90 {:?} p99 {:?}",
        v[v.len() / 2],
        v[v.len() * 9 / 10],
        v[v.len() * 99 / 100]
    );
}
#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() {
    let t = Instant::now();
    let cache = Cache::at(
        std::path::PathBuf::from(std::env::var("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
    );
    let plan = plan().unwrap();
    println!("plan {:?}", t.elapsed());
    let inst = install(&cache, &Source::Registry, &plan, &Builder, &Silent).unwrap();
    println!("find {:?}", t.elapsed());
    let standby: usize = std::env::args().nth(1).map_or(0, |s| s.parse().unwrap());
    let e: Arc<WasmEngine> =
        Arc::new(WasmEngine::open(inst, Options { standby, ..Options::default() }).unwrap());
    println!("open {:?}", t.elapsed());
    let prog = || Program::new("sum(range(100))");
    let mut g = e.start(Start::default(), Some(&prog())).await.unwrap();
    let r = g.step(Input::Run(prog())).await.unwrap();
    println!("first result {:?}", t.elapsed());
    if let Step::Done(o) = r {
        println!("{}", o.return_value.get());
    }
    drop(g);
    let n = 400;
    let mut v = vec![];
    let mut second = vec![];
    let mut third = vec![];
    for _ in 0..n {
        if standby > 0 {
            while e.standing_by() < standby {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
            tokio::time::sleep(Duration::from_micros(300)).await;
        }
        let t = Instant::now();
        let mut g = e.start(Start::default(), Some(&prog())).await.unwrap();
        let _ = g.step(Input::Run(prog())).await.unwrap();
        v.push(t.elapsed());
        let t = Instant::now();
        let _ = g.step(Input::Run(prog())).await.unwrap();
        second.push(t.elapsed());
        let t = Instant::now();
        let _ = g.step(Input::Run(prog())).await.unwrap();
        third.push(t.elapsed());
    }
    p("fresh sum", v);
    p("second", second);
    p("third", third);
    let dfp = "import pandas as pd\ndf=pd.DataFrame({'a':range(100),'b':[i%7 for i in range(100)]})\ndf.groupby('b').a.sum().to_dict()";
    let mut v = vec![];
    for _ in 0..100 {
        let t = Instant::now();
        let mut g = e.start(Start::default(), None).await.unwrap();
        let _ = g.step(Input::Run(Program::new(dfp))).await.unwrap();
        v.push(t.elapsed());
    }
    p("fresh groupby", v);
    // calls
    let mut g = e
        .start(
            Start {
                host: Arc::new(Echo),
                limits: Limits { calls: 1_000_000, ..Limits::default() },
                ..Start::default()
            },
            None,
        )
        .await
        .unwrap();
    let src = "from tidegate import call\nimport time,json\nt=time.perf_counter()\nfor i in range(2000): await call('echo', a=1, b='x')\na=(time.perf_counter()-t)/2000*1e6\nfrom _tidegate import values,runtime\nt=time.perf_counter()\nfor i in range(2000):\n  x=values.encode({'a':1,'b':'x'})[0].encode(); runtime._loads(x)\nb=(time.perf_counter()-t)/2000*1e6\n(a,b)";
    for _ in 0..3 {
        if let Step::Done(o) = g.step(Input::Run(Program::new(src))).await.unwrap() {
            println!("call us, json us: {} {:?}", o.return_value.get(), o.error);
        }
    }
    // freeze thaw
    let mut g = e.start(Start::default(), None).await.unwrap();
    let src = "import pandas as pd, numpy as np\ndf=pd.DataFrame({'a':np.arange(100000),'b':np.arange(100000)%7,'c':np.random.default_rng(1).integers(0,50,100000)})\nlen(df)";
    let _ = g.step(Input::Run(Program::new(src))).await.unwrap();
    let mut fz = vec![];
    let mut th = vec![];
    let mut len = 0;
    let mut thr = vec![];
    for _ in 0..30 {
        let t = Instant::now();
        let im = g.freeze().await.unwrap();
        fz.push(t.elapsed());
        len = im.as_bytes().len();
        let t = Instant::now();
        let mut h = e.thaw(&im, Start::default()).await.unwrap();
        th.push(t.elapsed());
        let r = h.step(Input::Run(Program::new("int(df.a.sum())"))).await.unwrap();
        thr.push(t.elapsed());
        if let Step::Done(o) = r {
            assert_eq!(o.return_value.get(), "4999950000", "{o:?}");
        }
    }
    println!("image {} KB", len >> 10);
    {
        let im = g.freeze().await.unwrap();
        println!("body {} KB", im.header().body_bytes >> 10);
        let b = im.body(1 << 30).unwrap();
        for lv in [-7, -5, -3, -1, 1, 2, 3] {
            let mut c = zstd::bulk::Compressor::new(lv).unwrap();
            let mut o = Vec::with_capacity(8 << 20);
            c.compress_to_buffer(&b[..], &mut o).unwrap();
            let t = Instant::now();
            for _ in 0..5 {
                o.clear();
                c.compress_to_buffer(&b[..], &mut o).unwrap();
            }
            let ct = t.elapsed() / 5;
            let mut d = zstd::bulk::Decompressor::new().unwrap();
            let mut x = Vec::with_capacity(b.len());
            d.decompress_to_buffer(&o[..], &mut x).unwrap();
            let t = Instant::now();
            for _ in 0..5 {
                x.clear();
                d.decompress_to_buffer(&o[..], &mut x).unwrap();
            }
            println!("level {lv} {} KB comp {ct:?} dec {:?}", o.len() >> 10, t.elapsed() / 5);
        }
    }
    p("freeze", fz);
    p("thaw", th);
    p("thaw+run", thr);
    let t = Instant::now();
    let mut js = vec![];
    let n = 2000;
    let c = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for _ in 0..4 {
        let e = e.clone();
        let c = c.clone();
        js.push(tokio::spawn(async move {
            while c.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < n {
                let mut g = e.start(Start::default(), None).await.unwrap();
                let _ = g.step(Input::Run(Program::new("sum(range(100))"))).await.unwrap();
            }
        }));
    }
    for j in js {
        j.await.unwrap();
    }
    println!("{:.0} programs/s", n as f64 / t.elapsed().as_secs_f64());
    let rss = || -> u64 {
        let s = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
        s.lines()
            .find(|l| l.starts_with("Private_Dirty:"))
            .and_then(|l| l.split_whitespace().nth(1))
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let a = rss();
    let mut keep = vec![];
    for _ in 0..200 {
        let mut g = e.start(Start::default(), None).await.unwrap();
        let _ = g.step(Input::Run(Program::new("sum(range(100))"))).await.unwrap();
        keep.push(g);
    }
    println!("private per session {} KB", (rss() - a) / 200);
}
