package publish_test

import (
	"cmp"
	"slices"
	"testing"
)

// This file explores the protocol for hosts whose drafts may be there in part, and
// take in parts of another ([codehost.ProtocolCheckedDraft]), as model_test.go does
// the one for drafts that are there whole. What may happen there may happen here:
// kills, takeovers of workers that live, replies that are lost, requests that are
// applied after their senders are gone, lists that miss the newest object.
//
// Beside that, a review has two comments, and a create may stop after the first
// (the host answers 500): then what is left has no mark. A create while a draft is
// open becomes a part of it. A person who shares the account may have a draft. The
// janitor deletes what is left once the publication has ended.
//
// One thing is assumed: a create is applied within the time that the protocol waits
// after it, or never. So a worker goes on from that wait only when no create of
// anybody else is left that could still be applied. The last mutant shows what
// rests on it.
const (
	checkedGen     = 3
	checkedFlight  = 2
	checkedObjects = 3
	checkedKills   = 1
)

// checked is the protocol, the world that it begins in, and its mutants.
type checked struct {
	name  string
	lag   bool
	start thing // a draft that is there before
	late  bool  // a create of an earlier publication is under way

	blindCreate  bool // creates without a look at what is there, and without deleting it
	blindSubmit  bool // submits without comparing
	keepsDraft   bool // clears the choice without deleting the draft
	staleClear   bool // clears whatever is chosen, under an old generation too
	greedy       bool // deletes drafts that are not ours
	absentMinded bool // does not wait for creates that may still be applied
}

// thing is a review object on the host, with how often it has each comment.
type thing struct {
	state         uint8 // objNone, objPending, objVisible, objGone
	first, second uint8
	mark, person  bool // carries the publication's mark; has words of a person
}

const objGone uint8 = 3

func (o thing) whole() bool { return o.first == 1 && o.second == 1 && !o.person }

// The places of a worker, and the phases, beside those of model_test.go.
const (
	pcQuiet uint8 = 100 + iota // waits until no create can come any more
	pcCompare
	pcIntend // has compared, wants to submit
	pcClear  // has deleted what it compared, wants the choice cleared
	pcSendDelete
	pcWaitDelete
	pcSendOrphan
	pcWaitOrphan
)

const phaseAbandoned uint8 = 5

const (
	sendsCreate uint8 = 1 + iota
	sendsSubmit
	sendsDelete
	sendsOrphan
)

type place struct {
	phase, gen, chosen, kills uint8
	deleting                  bool // the intent to delete the chosen draft is recorded
	workers                   [2]worker
	flight                    [checkedFlight]request
	objects                   [checkedObjects]thing
}

func (p checked) begin() (w place) {
	w.objects[0] = p.start
	if p.late {
		w.flight[0] = request{kind: sendsCreate}
	}
	return w
}

func (w place) over() bool { return w.phase == phasePublished || w.phase == phaseAbandoned }

// harm is 0 or 1 for how many reviews are visible, and more for what must not be.
func (w place) harm() int {
	visible := 0
	for _, o := range w.objects {
		if o.person && (o.mark || o.first+o.second > 0 || o.state == objGone) {
			return 4 // the draft of a person was touched
		}
		if o.state != objVisible {
			continue
		}
		if visible++; !o.whole() {
			return 3 // what is visible is not what was frozen
		}
	}
	return visible
}

func (p checked) next(w place, out func(place)) {
	if w.harm() > 1 {
		return
	}
	emit := func(n place) { out(n.plain()) }
	for i := range w.workers {
		p.work(w, i, emit)
		p.claim(w, i, emit)
		if w.workers[i].pc != pcIdle && w.kills < checkedKills {
			k := w
			k.kills++
			k.leave(i)
			emit(k)
		}
	}
	for i, r := range w.flight {
		if r.kind != 0 {
			p.resolve(w, i, emit)
		}
	}
	if w.over() { // the janitor
		for i, o := range w.objects {
			if o.state == objPending && !o.person {
				n := w
				n.objects[i].state = objGone
				emit(n)
			}
		}
	}
}

// plain is the one of all worlds that differ in nothing but names: what is gone and
// nobody knows of is forgotten, and neither the order of requests nor that of workers
// means anything.
func (w place) plain() place {
	for i := range w.objects {
		if id := uint8(i + 1); w.objects[i].state == objGone && !w.objects[i].person && !w.names(id) {
			w.objects[i] = thing{}
		}
	}
	order := func(w *place) {
		slices.SortFunc(w.flight[:], func(a, b request) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.target, b.target), cmp.Compare(a.sender, b.sender))
		})
	}
	order(&w)
	o := w
	o.workers[0], o.workers[1] = w.workers[1], w.workers[0]
	for i := range o.flight {
		if o.flight[i].sender != 0 {
			o.flight[i].sender = 3 - o.flight[i].sender
		}
	}
	order(&o)
	a, b := w.workers[0], w.workers[1]
	if cmp.Or(cmp.Compare(a.pc, b.pc), cmp.Compare(a.gen, b.gen), cmp.Compare(a.id, b.id)) > 0 {
		return o
	}
	return w
}

// names reports whether anybody knows an object by its id.
func (w place) names(id uint8) bool {
	return w.chosen == id || slices.ContainsFunc(w.workers[:], func(k worker) bool { return k.id == id }) ||
		slices.ContainsFunc(w.flight[:], func(r request) bool { return r.target == id })
}

// leave ends a worker; what it has sent is under way without anybody waiting.
func (w *place) leave(i int) {
	w.workers[i] = worker{}
	for f := range w.flight {
		if w.flight[f].sender == uint8(i+1) {
			w.flight[f].sender = 0
		}
	}
}

func (p checked) claim(w place, i int, emit func(place)) {
	if w.workers[i].pc != pcIdle || w.over() {
		return
	}
	other := w.workers[1-i]
	if w.gen == checkedGen && other.pc != pcIdle && other.gen == w.gen {
		return
	}
	w.gen = min(w.gen+1, checkedGen)
	w.workers[i] = worker{pc: pcAct, gen: w.gen}
	emit(w)
}

func (p checked) work(w place, i int, emit func(place)) {
	me := &w.workers[i]
	fenced := me.gen == w.gen && !w.over()
	to := func(n place, pc, id uint8) {
		n.workers[i].pc, n.workers[i].id = pc, id
		if pc == pcIdle {
			n.workers[i] = worker{}
		}
		emit(n)
	}
	ends := func(phase uint8) {
		n := w
		if fenced {
			n.phase = phase
		}
		to(n, pcIdle, 0)
	}
	switch me.pc {
	case pcAct:
		p.act(w, fenced, to)
	case pcList:
		p.list(w, fenced, to, ends)
	case pcSendCreate, pcSendSubmit, pcSendDelete, pcSendOrphan:
		kind, waits := sendsCreate, pcWaitCreate
		switch me.pc {
		case pcSendSubmit:
			kind, waits = sendsSubmit, pcWaitSubmit
		case pcSendDelete:
			kind, waits = sendsDelete, pcWaitDelete
		case pcSendOrphan:
			kind, waits = sendsOrphan, pcWaitOrphan
		}
		for f := range w.flight {
			if w.flight[f].kind == 0 {
				w.flight[f] = request{kind: kind, target: me.id, sender: uint8(i + 1)}
				to(w, waits, me.id)
				return
			}
		}
	case pcChoose:
		if !fenced || w.chosen != 0 || w.phase != phaseCreating {
			to(w, pcIdle, 0)
			return
		}
		w.chosen, w.phase, w.deleting = me.id, phaseChosen, false
		to(w, pcAct, 0)
	case pcQuiet:
		if p.absentMinded || !w.comes(i) {
			to(w, pcCompare, me.id)
		}
	case pcCompare:
		p.compare(w, me.id, fenced, to, ends)
	case pcIntend:
		if !fenced || w.phase != phaseChosen || w.chosen != me.id {
			to(w, pcIdle, 0)
			return
		}
		w.phase = phaseSubmitting
		to(w, pcSendSubmit, me.id)
	case pcClear:
		if !p.staleClear && (!fenced || w.phase != phaseChosen || w.chosen != me.id) || w.over() {
			to(w, pcIdle, 0)
			return
		}
		w.phase, w.chosen, w.deleting = phaseCreating, 0, false
		to(w, pcAct, 0)
	case pcGet:
		switch {
		case w.chosen == 0:
			to(w, pcIdle, 0)
		case w.objects[w.chosen-1].state == objVisible:
			to(w, pcPublish, w.chosen)
		case w.objects[w.chosen-1].state == objGone:
			ends(phaseAbandoned)
		case fenced:
			to(w, pcSendSubmit, w.chosen)
		default:
			to(w, pcIdle, 0)
		}
	case pcPublish:
		ends(phasePublished)
	}
}

// comes reports whether a create of somebody else than i may still be applied.
func (w place) comes(i int) bool {
	for _, r := range w.flight {
		if r.kind == sendsCreate {
			return true
		}
	}
	return w.workers[1-i].pc == pcSendCreate
}

func (p checked) explore() (states, harm, dead int) {
	return explore(p.begin().plain(), p.next, place.harm, place.over)
}

// wrong is what a protocol does wrong in some world.
type wrong int

const (
	none    wrong = iota // at most one visible review, which is what was frozen, no words of a person touched; and an end can be reached from every world
	harmful              // another review, or words of a person, come to harm
	stuck                // a world has no way to the end
)

func TestTheCheckedProtocolInEveryWorld(t *testing.T) {
	leftover := thing{state: objPending, first: 1}
	person := thing{state: objPending, person: true}
	for _, c := range []struct {
		checked
		wrong   wrong
		nightly bool // only make nightly explores it
	}{
		{checked{name: "nothing there"}, none, false},
		{checked{name: "nothing there, lagging list", lag: true}, none, true},
		{checked{name: "a part of an earlier one is there, lagging list", lag: true, start: leftover}, none, true},
		{checked{name: "an earlier create comes late, lagging list", lag: true, late: true}, none, false},
		{checked{name: "a person has a draft", start: person}, none, false},
		{checked{name: "mutant: no look and no deletion before a create", start: person, blindCreate: true}, harmful, false},
		{checked{name: "mutant: no comparison before the submit", blindSubmit: true}, harmful, false},
		{checked{name: "mutant: the choice cleared without deleting the draft", lag: true, keepsDraft: true}, stuck, false},
		{checked{name: "mutant: the choice cleared under an old generation", lag: true, staleClear: true}, harmful, false},
		{checked{name: "mutant: the draft of a person deleted", start: person, greedy: true}, harmful, false},
		{checked{name: "mutant: no wait for creates that may come", absentMinded: true}, harmful, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.wrong == harmful {
				states, found := search(c.begin().plain(), c.next, func(w place) bool { return w.harm() > 1 })
				if t.Logf("%d states", states); !found {
					t.Error("no world with harm was found")
				}
				return
			}
			if c.nightly {
				onlyNightly(t)
			}
			states, harm, dead := c.explore()
			t.Logf("%d states, harm %d, %d without a way to the end", states, harm, dead)
			if harm > 1 || dead > 0 != (c.wrong == stuck) {
				t.Errorf("harm %d, %d without a way to the end", harm, dead)
			}
		})
	}
}
