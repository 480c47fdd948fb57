//! Sessions that run elsewhere, as a node follows them, and the end it gives to those that have lost their owner.

use aon_live::id::{Epoch, Seq};
use aon_live::machine::follow::{self, Follow, FollowRules};
use aon_live::machine::orphan::{self, Orphan, OrphanRules};
use aon_live::machine::ring::Ring;
use aon_live::store::Budget;

use crate::engine::{Sid, Word};
use crate::handler::frame;
use crate::node::{BEAT, Item, Mirror, limits};
use crate::options::Plant;
use crate::world::World;

impl World {
    pub fn orphan(&mut self, node: usize, sid: Sid, input: orphan::Input) {
        let now = self.nodes[node].local(self.now);
        let mirror = self.nodes[node].mirrors.get_mut(&sid);
        if let Some(orphan) = mirror.and_then(|mirror| mirror.orphan.as_mut()) {
            orphan.handle(now, input);
        }
    }

    /// This node has written the end of an orphan: it is stored, so it may be shown.
    pub fn ended_orphan(&mut self, node: usize, sid: Sid) {
        let Some(mirror) = self.nodes[node].mirrors.get(&sid) else {
            return;
        };
        let (Some(end), primary) = (mirror.end.clone(), self.sentinel) else {
            return;
        };
        let epoch = self.servers[primary].db.logs.get(&sid).map(|log| log.epoch);
        if let Some(epoch) = epoch {
            self.stored(sid, epoch, &end, "acknowledged");
            self.say(node, Word::Event(sid, epoch, end));
        }
    }

    /// Makes this node follow a session, for readers or because its owner is lost.
    pub fn mirror(&mut self, node: usize, sid: Sid, read: bool) {
        let spread = self.rng.below(1000);
        let epoch = self.nodes[node].rings.get(&sid).map(|(epoch, _)| *epoch);
        let last = self.nodes[node].rings.get(&sid).and_then(|(_, ring)| {
            let page = ring.page(ring.newest(), Budget::new(1, usize::MAX));
            page.frames.into_iter().next()
        });
        let options = &self.options;
        let (lease, ring) = (options.lease, limits(options));
        let it = &mut self.nodes[node];
        if it.owned.contains_key(&sid) {
            return;
        }
        let now = it.local(self.now);
        let mirror = it.mirrors.entry(sid).or_insert_with(|| Mirror {
            follow: None,
            orphan: Some(Orphan::watch(OrphanRules::of(lease), spread, now)),
            end: None,
            fresh: false,
        });
        // One that had its end lost it, or came back: it is watched again.
        let swept = !read && mirror.orphan.as_ref().is_some_and(Orphan::is_done);
        if swept {
            mirror.orphan = Some(Orphan::watch(OrphanRules::of(lease), spread, now));
        }
        if read && mirror.follow.is_none() {
            let rules = FollowRules {
                heartbeat: BEAT,
                patience: 450,
                stash: 4,
            };
            let known = epoch.unwrap_or_else(|| Epoch::new(0));
            mirror.follow = Some(Follow::new(rules, known, last, now));
            mirror.fresh = epoch.is_none();
            it.rings
                .entry(sid)
                .or_insert_with(|| (known, Ring::new(known, ring)));
        }
    }

    pub fn followed(&mut self, node: usize, sid: Sid) -> bool {
        let mut busy = false;
        while let Some(output) = self.nodes[node]
            .mirrors
            .get_mut(&sid)
            .and_then(|it| it.follow.as_mut())
            .and_then(Follow::poll)
        {
            busy = true;
            let limits = limits(&self.options);
            match output {
                follow::Output::Read(number, from) => {
                    if number == 1 || !self.planted(Plant::PubSubOnly) {
                        self.group(node, Item::Read(sid, number, from));
                    }
                }
                follow::Output::Show(frame) => self.keep(node, sid, frame),
                follow::Output::Trimmed(_, to) => {
                    if let Some((epoch, ring)) = self.nodes[node].rings.get_mut(&sid) {
                        ring.restart(*epoch, to);
                    }
                }
                follow::Output::Restart(over) => {
                    let to = self.epoch();
                    self.group(node, Item::Restart(sid, over, to));
                }
                follow::Output::Began(epoch, oldest) => {
                    let mirror = self.nodes[node].mirrors.get_mut(&sid);
                    let first = mirror.is_some_and(|mirror| std::mem::take(&mut mirror.fresh));
                    let it = &mut self.nodes[node];
                    let old = it.rings.get(&sid).map(|(epoch, _)| *epoch);
                    let mut ring = Ring::new(epoch, limits);
                    ring.restart(epoch, Seq::new(oldest.get() - 1));
                    it.rings.insert(sid, (epoch, ring));
                    if !first {
                        self.checker.counts.epochs += 1;
                        if self.options.replicated {
                            self.checker.fail(
                                "safety",
                                format!("session {sid}: a new numbering where nothing was lost"),
                            );
                        }
                        self.rejoin(node, sid, old);
                    }
                }
                follow::Output::End => self.orphan(node, sid, orphan::Input::Ended),
                follow::Output::Gone => self.gone(node, sid),
            }
        }
        busy
    }

    pub fn watched(&mut self, node: usize, sid: Sid) -> bool {
        let mut busy = false;
        while let Some(output) = self.nodes[node]
            .mirrors
            .get_mut(&sid)
            .and_then(|it| it.orphan.as_mut())
            .and_then(Orphan::poll)
        {
            busy = true;
            match output {
                orphan::Output::Look(number) => self.direct(node, Item::Look(sid, number)),
                orphan::Output::Claim(number, over) => {
                    self.group(node, Item::Claim(sid, number, over))
                }
                orphan::Output::End(number, term, seq) => {
                    let epoch = self.servers[self.sentinel]
                        .db
                        .logs
                        .get(&sid)
                        .map(|log| log.epoch);
                    let made = epoch.map(|epoch| {
                        frame(
                            sid,
                            epoch,
                            seq,
                            term,
                            node,
                            "error",
                            ",\"code\":\"session_orphaned\"",
                        )
                    });
                    if let Some(mirror) = self.nodes[node].mirrors.get_mut(&sid) {
                        let same = mirror.end.as_ref().is_some_and(|end| {
                            end.seq() == seq
                                && made.as_ref().is_some_and(|made| made.json() == end.json())
                        });
                        if !same {
                            mirror.end = made;
                        }
                    }
                    self.group(node, Item::End(sid, number, term));
                }
            }
        }
        busy
    }
}
