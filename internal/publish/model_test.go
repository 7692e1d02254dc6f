package publish_test

import (
	"testing"
)

// This file explores a model of the protocol exhaustively. It checks the protocol, and publisher_test.go
// checks the code.
//
// The world has two worker slots. There are up to two kills at any point, and lease takeovers at any point,
// also of a worker that is alive (it continues as a zombie). Each request is applied with its reply, applied
// with the reply lost, dropped, or applied after its sender timed out or died. Optionally a list misses the
// newest object. The bounds are four generations, three requests in flight, and four objects at the host. The
// mutant with neither compare-and-swap nor slot is left out, because it takes half a minute. The slot that
// merges models only which objects exist, not their content.
const (
	maxGen     = 4
	maxFlight  = 3
	maxObjects = 4
	maxKills   = 2
)

type protocol struct {
	name    string
	private bool // create makes an invisible draft that is submitted by id
	list    bool // looks for the marker before it creates again
	cas     bool // the database chooses the id, once, under the generation
	lag     bool // the list may miss the newest object
	slot    slotKind
}

type slotKind uint8

const (
	slotNone   slotKind = iota
	slotRefuse          // GitHub: a second draft is refused
	slotMerge           // Gitea: a second draft is merged into the first
)

// These are the states of a worker in the protocol.
const (
	pcIdle       uint8 = iota
	pcAct              // reads the row and decides
	pcList             // lists reviews
	pcSendCreate       // after its intent is committed
	pcWaitCreate
	pcChoose // has an id and tries to have it chosen
	pcSendSubmit
	pcWaitSubmit
	pcGet // reads the chosen review by its id
	pcPublish
)

const (
	phasePrepared uint8 = iota
	phaseCreating
	phaseChosen
	phaseSubmitting
	phasePublished
)

const (
	objNone uint8 = iota
	objPending
	objVisible
)

type worker struct{ pc, gen, id uint8 }

type request struct {
	kind   uint8 // 0 none, 1 create, 2 submit
	target uint8 // object of a submit
	sender uint8 // worker + 1, or 0 if the sender is gone
}

type world struct {
	phase, gen, chosen uint8
	kills              uint8
	workers            [2]worker
	flight             [maxFlight]request
	objects            [maxObjects]uint8
}

func (w world) visible() (n int) {
	for _, o := range w.objects {
		if o == objVisible {
			n++
		}
	}
	return n
}

// newest returns the newest existing object, or 0.
func (w world) newest() (id uint8) {
	for i, o := range w.objects {
		if o != objNone {
			id = uint8(i + 1)
		}
	}
	return id
}

// next calls emit with every world that one step leads to.
func (p protocol) next(w world, emit func(world)) {
	for i := range w.workers {
		p.work(w, i, emit)
		p.claim(w, i, emit)
		if w.workers[i].pc != pcIdle && w.kills < maxKills {
			k := w
			k.kills++
			k.workers[i] = worker{}
			k.forget(uint8(i + 1))
			emit(k)
		}
	}
	for i, r := range w.flight {
		if r.kind != 0 {
			p.resolve(w, i, emit)
		}
	}
}

// forget removes the sender of its requests, which stay under way.
func (w *world) forget(sender uint8) {
	for i := range w.flight {
		if w.flight[i].sender == sender {
			w.flight[i].sender = 0
		}
	}
}

// claim takes the job, even from a worker that is alive. At the bound of generations it takes the job only
// from a dead worker, so that the bound of the model does not look like a dead end.
func (p protocol) claim(w world, i int, emit func(world)) {
	if w.workers[i].pc != pcIdle || w.phase == phasePublished {
		return
	}
	other := w.workers[1-i]
	held := other.pc != pcIdle && other.gen == w.gen
	if w.gen == maxGen && held {
		return
	}
	if w.gen < maxGen {
		w.gen++
	}
	w.workers[i] = worker{pc: pcAct, gen: w.gen}
	emit(w)
}

func (w *world) send(i int, r request) bool {
	for f := range w.flight {
		if w.flight[f].kind == 0 {
			r.sender = uint8(i + 1)
			w.flight[f] = r
			return true
		}
	}
	return false
}

func (p protocol) work(w world, i int, emit func(world)) {
	me := &w.workers[i]
	fenced := me.gen == w.gen
	switch me.pc {
	case pcAct:
		p.act(w, i, fenced, emit)
	case pcList:
		found := make([]uint8, 0, maxObjects+1)
		for id := uint8(1); id <= maxObjects; id++ {
			if w.objects[id-1] != objNone && (!p.lag || id != w.newest()) {
				found = append(found, id)
			}
		}
		if p.lag { // the list may show the newest or not
			if n := w.newest(); n != 0 {
				p.listed(w, i, fenced, append(found, n), emit)
			}
		}
		p.listed(w, i, fenced, found, emit)
	case pcSendCreate:
		if w.send(i, request{kind: 1}) {
			me.pc = pcWaitCreate
			emit(w)
		}
	case pcSendSubmit:
		if w.send(i, request{kind: 2, target: me.id}) {
			me.pc = pcWaitSubmit
			emit(w)
		}
	case pcChoose:
		switch {
		case !p.cas: // the mutant trusts the id it holds
			w.chosen, w.phase, me.pc = me.id, phaseChosen, pcSendSubmit
		case fenced && w.chosen == 0 && w.phase == phaseCreating:
			w.chosen, w.phase, me.pc, me.id = me.id, phaseChosen, pcAct, 0
		default:
			*me = worker{}
		}
		emit(w)
	case pcGet:
		switch id := w.submitTarget(p, *me); {
		case id != 0 && w.objects[id-1] == objVisible:
			me.pc = pcPublish
		case fenced || !p.cas:
			me.pc, me.id = pcSendSubmit, id
		default:
			*me = worker{}
		}
		emit(w)
	case pcPublish:
		if fenced || !p.cas {
			w.phase = phasePublished
		}
		*me = worker{}
		emit(w)
	}
}

// submitTarget returns the id that a worker submits: that of the row, or for the mutant the worker's own.
func (w world) submitTarget(p protocol, me worker) uint8 {
	if !p.cas && me.id != 0 {
		return me.id
	}
	return w.chosen
}

// act is the step of a worker that has just read the row.
func (p protocol) act(w world, i int, fenced bool, emit func(world)) {
	me := &w.workers[i]
	switch {
	case w.phase == phasePublished, !fenced:
		*me = worker{}
	case w.phase == phasePrepared || w.phase == phaseCreating && !p.list:
		w.phase, me.pc = phaseCreating, pcSendCreate
	case w.phase == phaseCreating:
		me.pc = pcList
	case w.phase == phaseChosen:
		w.phase, me.pc, me.id = phaseSubmitting, pcSendSubmit, w.chosen
	default:
		me.pc = pcGet
	}
	emit(w)
}

// listed emits the worlds that follow from a list.
func (p protocol) listed(w world, i int, fenced bool, found []uint8, emit func(world)) {
	me := &w.workers[i]
	switch {
	case len(found) > 0 && p.private:
		for _, id := range found {
			w.workers[i].pc, w.workers[i].id = pcChoose, id
			emit(w)
		}
		return
	case len(found) > 0:
		me.pc = pcPublish
	case fenced:
		me.pc = pcSendCreate // with a new intent
	default:
		*me = worker{}
	}
	emit(w)
}

// resolve emits the possible outcomes of a request.
func (p protocol) resolve(w world, i int, emit func(world)) {
	r := w.flight[i]
	done := w
	done.flight[i] = request{}
	applied, id, refused, possible := p.apply(done, r)
	if r.sender == 0 { // applied late, or never
		emit(done)
		if possible {
			emit(applied)
		}
		return
	}
	s := int(r.sender - 1)
	ambiguous := func(n world) {
		n.workers[s].pc = pcAct
		if r.kind == 2 {
			n.workers[s].pc = pcGet
		}
		emit(n)
	}
	ambiguous(done) // dropped
	late := w
	late.flight[i].sender = 0
	ambiguous(late) // timed out; may still be applied
	if !possible {
		return
	}
	ambiguous(applied) // applied, reply lost
	n := applied
	switch {
	case r.kind == 2:
		n.workers[s].pc = pcPublish
	case refused: // 422: another draft is open
		n.workers[s].pc = pcAct
	case p.private:
		n.workers[s].pc, n.workers[s].id = pcChoose, id
	default:
		n.workers[s].pc = pcPublish
	}
	emit(n)
}

// apply is the host. possible is false at the bound of objects.
func (p protocol) apply(w world, r request) (out world, id uint8, refused, possible bool) {
	if r.kind == 2 {
		if w.objects[r.target-1] == objPending {
			w.objects[r.target-1] = objVisible
		}
		return w, r.target, false, true
	}
	for i, o := range w.objects {
		if o == objPending && p.slot == slotRefuse {
			return w, 0, true, true
		}
		if o == objPending && p.slot == slotMerge {
			return w, uint8(i + 1), false, true
		}
	}
	for i, o := range w.objects {
		if o == objNone {
			w.objects[i] = objVisible
			if p.private {
				w.objects[i] = objPending
			}
			return w, uint8(i + 1), false, true
		}
	}
	return w, 0, false, false
}

func (p protocol) explore() (states, most, dead int) {
	return explore(world{}, p.next, world.visible, func(w world) bool { return w.phase == phasePublished })
}

func TestTheProtocolHasOneVisibleReviewInEveryWorld(t *testing.T) {
	for _, c := range []struct {
		protocol
		safe     bool // never more than one visible review
		progress bool // "published" can be reached from every world
	}{
		{protocol{name: "A: create, retry on ambiguity"}, false, false},
		{protocol{name: "B: list the marker, then create", list: true}, false, false},
		{protocol{name: "B with a lagging list", list: true, lag: true}, false, false},
		{protocol{name: "C: draft, compare-and-swap, submit", private: true, list: true, cas: true, slot: slotRefuse}, true, true},
		{protocol{name: "C with a lagging list", private: true, list: true, cas: true, lag: true, slot: slotRefuse}, true, true},
		{protocol{name: "C without the host's slot", private: true, list: true, cas: true, lag: true}, true, false},
		{protocol{name: "C with a slot that merges", private: true, list: true, cas: true, lag: true, slot: slotMerge}, true, true},
		{protocol{name: "mutant: C without the compare-and-swap", private: true, list: true, slot: slotRefuse}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			states, most, dead := c.explore()
			t.Logf("%d states, at most %d visible reviews, %d without a way to the end", states, most, dead)
			if safe := most == 1; safe != c.safe {
				t.Errorf("%d visible reviews, want safe = %v", most, c.safe)
			}
			if c.progress && dead > 0 {
				t.Errorf("%d worlds have no way to the end", dead)
			}
		})
	}
}
