package publish_test

import "testing"

// This file explores the time after the job of a publication dies with a chosen draft. The host is queried
// until it has answered what became of the draft (see [publish.Publisher.Settle]), and only then may the next
// event of the head start a second run. model_test.go explores that a run's own protocol makes one visible
// review, so a second run is one step here.
//
// The world has the chosen object, requests that may still be applied or never, a zombie that has its intent
// and has not sent its submit yet, one settler, and one job that an operator may redrive. The settler and the
// job may die at any point, be taken over, and lose every answer.

// settlement is the protocol with its mutants.
type settlement struct {
	name       string
	blind      bool // gives up when the job dies, without querying the host
	keepsDraft bool // gives up when it reads a draft, without deleting it
	trusts     bool // takes a deletion with a lost answer for done
}

const (
	atIdle uint8 = iota
	atGet
	atSubmit
	atDelete
	atAbandon
	atPublish
)

const (
	chosenDraft uint8 = iota
	chosenVisible
	chosenGone
)

type hand struct{ at, gen uint8 }

type aftermath struct {
	object          uint8
	submits         uint8 // submits under way without a sender
	deletes         uint8
	zombie          bool // may still send its submit
	gen, over       uint8
	settler, job    hand
	second, crashed bool // the second run's review is visible; a worker has died once more
}

const (
	stillOpen uint8 = iota
	overPublished
	overAbandoned
)

const (
	maxTakes = 5
	maxLate  = 2
)

func (w aftermath) visible() (n int) {
	if w.object == chosenVisible {
		n++
	}
	if w.second {
		n++
	}
	return n
}

func (p settlement) next(w aftermath, emit func(aftermath)) {
	if w.over == overAbandoned && !w.second { // the next event of the head
		n := w
		n.second = true
		emit(n)
	}
	if w.zombie && w.submits < maxLate {
		n := w
		n.zombie, n.submits = false, n.submits+1
		emit(n)
	}
	p.arrive(w, emit)
	if w.over == stillOpen && w.gen < maxTakes {
		for _, take := range []func(n *aftermath) *hand{func(n *aftermath) *hand { return &n.settler }, func(n *aftermath) *hand { return &n.job }} {
			n := w
			n.gen++
			*take(&n) = hand{at: atGet, gen: n.gen}
			emit(n)
		}
	}
	p.step(w, func(n *aftermath) *hand { return &n.settler }, true, emit)
	p.step(w, func(n *aftermath) *hand { return &n.job }, false, emit)
}

// arrive applies or drops a late request.
func (p settlement) arrive(w aftermath, emit func(aftermath)) {
	if w.submits > 0 {
		n := w
		n.submits--
		emit(n)
		if n.object == chosenDraft {
			n.object = chosenVisible
			emit(n)
		}
	}
	if w.deletes > 0 {
		n := w
		n.deletes--
		emit(n)
		if n.object == chosenDraft {
			n.object = chosenGone
			emit(n)
		}
	}
}

// step moves one worker by one step.
func (p settlement) step(w aftermath, of func(*aftermath) *hand, settles bool, emit func(aftermath)) {
	me := *of(&w)
	if me.at == atIdle {
		return
	}
	to := func(n aftermath, at uint8) {
		of(&n).at = at
		if at == atIdle {
			*of(&n) = hand{}
		}
		emit(n)
	}
	if !w.crashed {
		n := w
		n.crashed = true
		to(n, atIdle)
	}
	current := me.gen == w.gen && w.over == stillOpen
	switch me.at {
	case atGet:
		to(w, atIdle) // without an answer
		switch {
		case w.object == chosenVisible:
			to(w, atPublish)
		case w.object == chosenGone, settles && p.keepsDraft:
			to(w, atAbandon)
		case settles:
			to(w, atDelete)
		default:
			to(w, atSubmit)
		}
	case atSubmit, atDelete:
		if !current { // the intent is written under the generation
			to(w, atIdle)
			return
		}
		p.write(w, me.at, to)
	case atAbandon, atPublish:
		n := w
		if current {
			n.over = map[uint8]uint8{atAbandon: overAbandoned, atPublish: overPublished}[me.at]
		}
		to(n, atIdle)
	}
}

// write emits the possible outcomes of a submit or a deletion.
func (p settlement) write(w aftermath, verb uint8, to func(aftermath, uint8)) {
	lost := atIdle
	if verb == atDelete && p.trusts {
		lost = atAbandon
	}
	to(w, lost) // dropped
	late := w
	if verb == atSubmit && w.submits < maxLate {
		late.submits++
		to(late, lost)
	}
	if verb == atDelete && w.deletes < maxLate {
		late.deletes++
		to(late, lost)
	}
	if w.object != chosenDraft { // the host refuses it
		to(w, atGet)
		return
	}
	done, then := w, atPublish
	done.object = chosenVisible
	if verb == atDelete {
		done.object, then = chosenGone, atAbandon
	}
	to(done, lost) // applied, the reply lost
	to(done, then)
}

func (p settlement) explore() (states, most, dead int) {
	start := aftermath{zombie: true, submits: 1}
	if p.blind {
		start.over = overAbandoned
	}
	// The bound of takeovers belongs to the model, not to the protocol.
	return explore(start, p.next, aftermath.visible, func(w aftermath) bool { return w.over != stillOpen || w.gen == maxTakes })
}

func TestAfterADeadJobOneReviewIsVisibleInEveryWorld(t *testing.T) {
	for _, c := range []struct {
		settlement
		safe bool
	}{
		{settlement{name: "asks until the host has answered about the draft"}, true},
		{settlement{name: "mutant: gives up without asking", blind: true}, false},
		{settlement{name: "mutant: leaves the draft there", keepsDraft: true}, false},
		{settlement{name: "mutant: trusts a deletion whose answer was lost", trusts: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			states, most, dead := c.explore()
			t.Logf("%d states, at most %d visible reviews, %d without a way to the end", states, most, dead)
			if safe := most == 1; safe != c.safe {
				t.Errorf("%d visible reviews, want safe = %v", most, c.safe)
			}
			if c.safe && dead > 0 {
				t.Errorf("%d worlds have no way to the end", dead)
			}
		})
	}
}
