package publish_test

import (
	"cmp"
	"slices"
	"testing"
)

// This file explores a model of the protocol for hosts on which one write makes a review visible
// ([codehost.ProtocolDirect]), as model_test.go does for the protocol with drafts. The same events can
// happen: kills, takeovers of workers that are alive, lost replies, and requests that are applied after their
// senders are gone.
//
// In addition, a review has two comments, and a create may stop after the first (the host answers 500). It
// then leaves an unmarked draft, and the next create absorbs it. A person who shares the account may have a
// draft.
//
// In the first worlds, a create is applied within the time that the protocol waits after it, or never, and
// lists show all objects made by then. There is never a second visible review. In the other worlds, creates
// may be applied later, or lists lag for longer. A twin may then be visible, and the janitor leads from every
// world to one with a single review.
const (
	directGen     = 3
	directFlight  = 2
	directObjects = 3
	directKills   = 1
)

// oneWrite is the protocol with its first world and its mutants.
type oneWrite struct {
	name  string
	start thing // an existing draft
	early bool  // a create of an earlier publication is under way
	late  bool  // creates may be applied later than the protocol waits
	lag   bool  // lists may miss the newest object for longer than the protocol waits

	blind        bool // creates again without listing first
	absentMinded bool // does not wait for creates that may still be applied
	keepsLeft    bool // creates without deleting the leftovers of failed creates
	greedy       bool // deletes drafts of people
	noJanitor    bool
	newest       bool // the janitor keeps the newest review, even if another one is recorded
}

// thing is a review object on the host, with the number of copies of each comment.
type thing struct {
	state         uint8 // objNone, objPending, objVisible, objGone
	first, second uint8
	mark, person  bool // has the publication's mark; has a person's text
}

const objGone uint8 = 3

func (o thing) whole() bool { return o.first == 1 && o.second == 1 && !o.person }

// These states of a worker, and this phase, come in addition to those of model_test.go.
const (
	pcSendDelete uint8 = 100 + iota
	pcWaitDelete
	pcCompare
)

const phaseAbandoned uint8 = 5

const (
	sendsCreate uint8 = 1 + iota
	sendsDelete
)

type place struct {
	phase, gen, chosen, kills uint8
	workers                   [2]worker
	flight                    [directFlight]request
	objects                   [directObjects]thing
}

func (p oneWrite) begin() (w place) {
	w.objects[0] = p.start
	if p.early {
		w.flight[0] = request{kind: sendsCreate}
	}
	return w
}

func (w place) over() bool { return w.phase == phasePublished || w.phase == phaseAbandoned }

// settled reports whether no request is under way and one review is visible, or none if the publication was
// given up.
func (w place) settled() bool {
	if !w.over() || w.workers != [2]worker{} || w.flight != [directFlight]request{} {
		return false
	}
	want := 1
	if w.phase == phaseAbandoned {
		want = 0
	}
	return w.visible() == want
}

func (w place) visible() (n int) {
	for _, o := range w.objects {
		if o.state == objVisible {
			n++
		}
	}
	return n
}

// harm returns the number of visible reviews, or more than 2 for a state that must not occur.
func (w place) harm() int {
	for _, o := range w.objects {
		switch {
		case o.person && (o.mark || o.first+o.second > 0 || o.state == objGone):
			return 4 // the draft of a person was touched
		case o.state == objVisible && !o.whole():
			return 3 // a visible review differs from the frozen payload
		}
	}
	return w.visible()
}

// touched returns 2 if the draft of a person was touched, and else 0.
func (w place) touched() int {
	if w.harm() == 4 {
		return 2
	}
	return 0
}

func (p oneWrite) next(w place, out func(place)) {
	if w.harm() == 4 || w.harm() > 1 && !p.late && !p.lag {
		return
	}
	emit := func(n place) { out(n.plain()) }
	for i := range w.workers {
		p.work(w, i, emit)
		p.claim(w, i, emit)
		if w.workers[i].pc != pcIdle && w.kills < directKills {
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
	if w.over() && !p.noJanitor {
		p.clean(w, emit)
	}
}

// clean is one deletion by the janitor.
func (p oneWrite) clean(w place, emit func(place)) {
	stays := -1
	for i, o := range w.objects {
		better := stays < 0 || p.newest || o.whole() && !w.objects[stays].whole() // the mark names the payload from which the review was made
		if w.phase == phasePublished && o.state == objVisible && o.mark && better {
			stays = i
		}
	}
	for i, o := range w.objects {
		if i != stays && !o.person && (o.state == objPending || o.state == objVisible && o.mark) {
			n := w
			n.objects[i].state = objGone
			emit(n)
		}
	}
}

// plain returns one representative of all worlds that differ only in names: a deleted object that no worker
// has is forgotten, and the order of requests and of workers does not matter.
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

// names reports whether a worker, a request or the row has the id of an object.
func (w place) names(id uint8) bool {
	return w.chosen == id || slices.ContainsFunc(w.workers[:], func(k worker) bool { return k.id == id }) ||
		slices.ContainsFunc(w.flight[:], func(r request) bool { return r.target == id })
}

// leave ends a worker. Its requests stay under way without a sender.
func (w *place) leave(i int) {
	w.workers[i] = worker{}
	for f := range w.flight {
		if w.flight[f].sender == uint8(i+1) {
			w.flight[f].sender = 0
		}
	}
}

func (p oneWrite) claim(w place, i int, emit func(place)) {
	if w.workers[i].pc != pcIdle || w.over() {
		return
	}
	other := w.workers[1-i]
	if w.gen == directGen && other.pc != pcIdle && other.gen == w.gen {
		return
	}
	w.gen = min(w.gen+1, directGen)
	w.workers[i] = worker{pc: pcAct, gen: w.gen}
	emit(w)
}

// wrong is the kind of error that a protocol makes in some world.
type wrong int

const (
	none    wrong = iota // at most one visible review, equal to the frozen payload, no person's text touched, and an end can be reached from every world
	harmful              // a second review, or a person's text is touched
	stuck                // an end cannot be reached from some world
)

func TestOneWriteInEveryWorld(t *testing.T) {
	leftover := thing{state: objPending, first: 1}
	person := thing{state: objPending, person: true}
	for _, c := range []struct {
		oneWrite
		wrong   wrong
		nightly bool // only make nightly explores it
	}{
		{oneWrite{name: "nothing there"}, none, false},
		{oneWrite{name: "a part of an earlier one is there", start: leftover}, none, false},
		{oneWrite{name: "an earlier create comes late", early: true}, none, false},
		{oneWrite{name: "a person has a draft", start: person}, none, false},
		{oneWrite{name: "creates come later than they are waited for", late: true}, none, false},
		{oneWrite{name: "creates come late, lists lag", late: true, lag: true, early: true}, none, true},
		{oneWrite{name: "mutant: no look before a create", blind: true}, harmful, false},
		{oneWrite{name: "mutant: no wait for creates that may come", absentMinded: true}, harmful, false},
		{oneWrite{name: "mutant: leftovers are not deleted", start: leftover, keepsLeft: true}, harmful, false},
		{oneWrite{name: "mutant: the draft of a person deleted", start: person, greedy: true}, harmful, false},
		{oneWrite{name: "mutant: no janitor", late: true, noJanitor: true}, stuck, false},
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
			bad := place.harm
			if c.late || c.lag {
				bad = place.touched
			}
			states, harm, dead := explore(c.begin().plain(), c.next, bad, place.settled)
			t.Logf("%d states, harm %d, %d without a way to the end", states, harm, dead)
			if harm > 1 || dead > 0 != (c.wrong == stuck) {
				t.Errorf("harm %d, %d without a way to the end", harm, dead)
			}
		})
	}
}

// If several twins equal the frozen payload, the oldest one stays, whichever was recorded.
func TestTheJanitorKeepsTheOldest(t *testing.T) {
	t.Parallel()
	loses := func(p oneWrite) bool {
		_, found := search(p.begin().plain(), p.next, func(w place) (lost bool) {
			oldest := slices.IndexFunc(w.objects[:], func(o thing) bool { return o.state == objVisible && o.mark && o.whole() })
			if w.phase == phasePublished && oldest >= 0 {
				p.clean(w, func(n place) { lost = lost || n.objects[oldest].state != objVisible })
			}
			return lost
		})
		return found
	}
	if loses(oneWrite{late: true}) {
		t.Error("the oldest was deleted")
	}
	if !loses(oneWrite{late: true, newest: true}) {
		t.Error("the mutant that keeps the newest was not noticed")
	}
}
