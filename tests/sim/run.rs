//! One seed: trouble, then healing, then everything has to come to its end.

use crate::checker::View;
use crate::checker::{Counts, Failure};
use crate::client::Client;
use crate::options::{Kind, Options, Plant};
use crate::rng::Rng;
use crate::world::{Event, World};

#[derive(Debug)]
pub struct Report {
    pub failure: Option<Failure>,
    pub at: u64,
    pub steps: u64,
    pub digest: u64,
    pub counts: Counts,
    pub trace: String,
    pub options: Options,
}

/// How long everything may take once nothing goes wrong any more.
const SETTLE: u64 = 25_000;
/// When an engine that was down at the end of the trouble is back, at the latest.
const BACK: u64 = 4_000;

pub fn run(seed: u64, plant: Option<Plant>, off: &[Kind]) -> Report {
    run_with(Options::draw(seed, plant, off))
}

pub fn run_with(options: Options) -> Report {
    let seed = options.seed;
    let mut rng = Rng::new(seed).fork(5);
    let mut world = World::new(options);
    let options = world.options.clone();
    for sid in 0..options.sessions {
        let start = rng.range(1, 800);
        world.at(start, Event::Start { sid });
        for reader in 0..=options.readers {
            let client = world.clients.len();
            let caller = reader == 0;
            world.clients.push(Client {
                sid,
                caller,
                follow: None,
                conn: None,
                view: View::default(),
                done: false,
                nudge_at: 0,
            });
            if !caller {
                let wait = rng.range(50, 2000);
                world.at(start + wait, Event::Follow { client });
            }
        }
    }
    for ticket in 0..2 {
        let at = rng.range(1, options.trouble);
        for _ in 0..rng.range(2, 3) {
            let (wait, node) = (rng.below(600), rng.pick(options.nodes));
            world.at(at + wait, Event::Ticket { ticket, node });
        }
    }
    let orphans_by = options.trouble + BACK + 2 * options.lease + 1000;
    let mut orphans_seen = false;
    while world.failure().is_none() && world.step() {
        if world.now > orphans_by && !orphans_seen {
            orphans_seen = true;
            orphans(&mut world);
        }
        if world.healed && world.steps.is_multiple_of(16) && settled(&world) {
            break;
        }
        if world.now > options.trouble + SETTLE || world.steps > 400_000 {
            let open = open(&world);
            world.checker.fail("liveness", open);
        }
    }
    last(&mut world);
    Report {
        failure: world.checker.failure.clone(),
        at: world.now,
        steps: world.steps,
        digest: world.digest,
        trace: world.trace(),
        counts: std::mem::take(&mut world.checker.counts),
        options,
    }
}

fn settled(world: &World) -> bool {
    let db = &world.servers[world.sentinel].db;
    world.started.len() == world.options.sessions
        && db
            .logs
            .iter()
            .all(|(sid, log)| log.ended() || lost_its_end(world, *sid))
        && world.clients.iter().all(|client| {
            client.done
                || client.follow.is_none() && client.caller
                || lost_its_end(world, client.sid)
        })
        && world
            .nodes
            .iter()
            .all(|node| node.owned.values().all(|own| own.ended))
}

/// Without a replica a failover may lose an end that was stored and shown; such a session expires.
fn lost_its_end(world: &World, sid: usize) -> bool {
    !world.options.replicated && world.checker.ended.contains(&sid)
}

/// A session whose owner is gone has its end within two leases.
fn orphans(world: &mut World) {
    let db = &world.servers[world.sentinel].db;
    let lost = db.logs.iter().find(|(sid, log)| {
        let alive = log
            .owner
            .is_some_and(|(node, life)| world.nodes[node].alive && world.nodes[node].life == life);
        !log.ended() && !alive && !lost_its_end(world, **sid)
    });
    if let Some((sid, log)) = lost {
        let what = format!(
            "session {sid}: without an owner and without an end after two leases, at term {}",
            log.term.get()
        );
        world.checker.fail("liveness", what);
    }
}

fn open(world: &World) -> String {
    let db = &world.servers[world.sentinel].db;
    let sessions: Vec<_> = db
        .logs
        .iter()
        .filter(|(_, log)| !log.ended())
        .map(|(sid, _)| *sid)
        .collect();
    let readers = world
        .clients
        .iter()
        .enumerate()
        .filter(|(_, client)| !client.done);
    let readers: Vec<_> = readers
        .map(|(at, client)| (at, client.sid, client.view.last.clone()))
        .collect();
    let owned: Vec<_> = world
        .nodes
        .iter()
        .flat_map(|node| {
            node.owned
                .iter()
                .filter(|(_, own)| !own.ended)
                .map(|(sid, _)| (node.at, *sid))
        })
        .collect();
    format!("not at its end: sessions {sessions:?}, owned {owned:?}, readers {readers:?}")
}

/// What must hold at the end.
fn last(world: &mut World) {
    let db = std::mem::take(&mut world.servers[world.sentinel].db);
    for (sid, log) in &db.logs {
        let frames: Vec<_> = log.frames.iter().collect();
        world.checker.log(*sid, &frames);
    }
    let before = world.checker.counts.promotions;
    world.checker.promoted(&db);
    world.checker.counts.promotions = before;
    world.servers[world.sentinel].db = db;
}
