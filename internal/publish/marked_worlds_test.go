package publish_test

import (
	"slices"
	"testing"
)

// This file has the steps of the workers of marked_model_test.go, and those of the host.

func (p byMarks) claim(w markWorld, i int, emit func(markWorld)) {
	other := w.workers[1-i]
	if w.workers[i].pc != pcIdle || w.over() || w.gen == markGen && other.pc != pcIdle && other.gen == w.gen {
		return
	}
	w.gen = min(w.gen+1, markGen)
	w.workers[i] = noteWorker{pc: pcAct, gen: w.gen}
	emit(w)
}

func (p byMarks) work(w markWorld, i int, emit func(markWorld)) {
	me := w.workers[i]
	fenced := me.gen == w.gen && !w.over()
	to := func(n markWorld, pc, note, id uint8) {
		n.workers[i] = noteWorker{pc, me.gen, note, id}
		if pc == pcIdle {
			n.workers[i] = noteWorker{}
		}
		emit(n)
	}
	switch me.pc {
	case pcAct:
		if !fenced {
			to(w, pcIdle, 0, 0)
			return
		}
		p.act(w, i, to)
	case pcMarkSend:
		if n, ok := w.sent(markRequest{kind: markCreate, note: me.note, sender: uint8(i + 1)}); ok {
			to(n, pcMarkWait, me.note, 0)
		}
	case pcMarkChoose:
		row := &w.rows[me.note-1]
		if !p.overwrites && (!fenced || row.phase != rowDrafting && !p.unrecorded) {
			to(w, pcIdle, 0, 0)
			return
		}
		*row = noteRow{rowChosen, me.id}
		to(w, pcMarkRead, me.note, me.id)
	case pcMarkRead:
		row := &w.rows[me.note-1]
		switch there := w.copies[me.note-1][me.id-1].state == copyVisible || p.trusting; {
		case !fenced || row.phase != rowChosen:
			to(w, pcIdle, 0, 0)
		case there:
			row.phase = rowVisible
			to(w, pcAct, 0, 0)
		default:
			p.drop(w, me.note, to)
		}
	}
}

// drop goes on without a comment; without the summary there is no review.
func (p byMarks) drop(w markWorld, note uint8, to func(markWorld, uint8, uint8, uint8)) {
	w.rows[note-1].phase = rowDropped
	if note == 2 {
		w.phase = phaseAbandoned
		to(w, pcIdle, 0, 0)
		return
	}
	to(w, pcAct, 0, 0)
}

// act reads the rows and decides. The worker holds the current generation.
func (p byMarks) act(w markWorld, i int, to func(markWorld, uint8, uint8, uint8)) {
	order := []uint8{1, 2}
	if p.summaryFirst {
		order = []uint8{2, 1}
	}
	if w.phase == phaseChosen {
		gives, goes := w, w
		gives.phase, goes.phase = phaseAbandoned, phaseSubmitting
		to(gives, pcIdle, 0, 0)
		to(goes, pcAct, 0, 0)
		return
	}
	for _, note := range order {
		row := &w.rows[note-1]
		switch row.phase {
		case rowPlanned:
			if !p.unrecorded {
				row.phase = rowDrafting
			}
			to(w, pcMarkSend, note, 0)
			return
		case rowDrafting:
			p.looked(w, i, note, markCopies+1, to)
			if newest := w.newest(note); p.lag && newest > 0 {
				p.looked(w, i, note, newest, to)
			}
			return
		case rowChosen:
			to(w, pcMarkRead, note, row.draft)
			return
		}
	}
	w.phase = phasePublished
	to(w, pcIdle, 0, 0)
}

// looked is the step after a list that lacks one copy.
func (p byMarks) looked(w markWorld, i int, note, misses uint8, to func(markWorld, uint8, uint8, uint8)) {
	found, foreign := uint8(0), uint8(0)
	for k, o := range w.copies[note-1] {
		id := uint8(k + 1)
		switch {
		case o.state != copyVisible || id == misses || p.blind:
		case o.author == byUs && found == 0:
			found = id
		case o.author != byUs && foreign == 0 && !p.selfish:
			foreign = id
		}
	}
	if found == 0 {
		found = foreign
	}
	switch {
	case found != 0:
		w.rows[note-1] = noteRow{rowVisible, found}
		to(w, pcAct, 0, 0)
	case !p.hasty && !p.blind && !p.late && w.comes(i, note): // the job runs again
		to(w, pcIdle, 0, 0)
	default: // try again, or give up
		to(w, pcMarkSend, note, 0)
		p.drop(w, note, to)
	}
}

// comes reports whether a request to write a comment, by a sender other than i, may still be applied.
func (w markWorld) comes(i int, note uint8) bool {
	other := w.workers[1-i]
	return other.pc == pcMarkSend && other.note == note ||
		slices.ContainsFunc(w.flight[:], func(r markRequest) bool { return r.kind == markCreate && r.note == note })
}

// resolve emits the possible outcomes of a request.
func (p byMarks) resolve(w markWorld, f int, emit func(markWorld)) {
	r := w.flight[f]
	reply := func(n markWorld, pc, note, id uint8) {
		n.flight[f] = markRequest{}
		if r.sender != 0 {
			me := &n.workers[r.sender-1]
			*me = noteWorker{pc, me.gen, note, id}
			if pc == pcIdle {
				*me = noteWorker{}
			}
		}
		emit(n)
	}
	reply(w, pcAct, 0, 0) // dropped
	if r.kind == markDelete {
		if o := &w.copies[r.note-1][r.target-1]; o.author == byUs {
			o.state = copyGone
		}
		reply(w, pcIdle, 0, 0)
		return
	}
	if r.sender != 0 {
		reply(w, pcIdle, 0, 0) // refused: the job ends, and runs again later
		n := w                 // its sender gets no reply, and it may be applied late
		n.flight[f].sender = 0
		n.workers[r.sender-1] = noteWorker{pc: pcAct, gen: n.workers[r.sender-1].gen}
		emit(n)
	}
	free := slices.Index(w.copies[r.note-1][:], markCopy{})
	if free < 0 {
		return // more copies are not explored
	}
	made, kept := w, &w.copies[r.note-1][free]
	*kept = markCopy{state: copyVisible}
	if r.old {
		kept.author = byOldAccount
	}
	reply(w, pcMarkChoose, r.note, uint8(free+1))
	reply(w, pcAct, 0, 0) // the answer was lost
	if p.odd {
		made.copies[r.note-1][free] = markCopy{state: copyGone}
		reply(made, pcMarkChoose, r.note, uint8(free+1))
	}
}

func TestMarksInEveryWorld(t *testing.T) {
	for _, c := range []struct {
		byMarks
		wrong   wrong
		nightly bool // only make nightly explores it
	}{
		{byMarks{name: "requests in time, complete lists"}, none, false},
		{byMarks{name: "a host that does not keep comments", odd: true}, none, false},
		{byMarks{name: "a person acts", met: true}, none, false},
		{byMarks{name: "another account", renewed: true}, none, false},
		{byMarks{name: "requests come later than they are waited for", late: true}, none, false},
		{byMarks{name: "lists lag for longer", lag: true}, none, false},
		{byMarks{name: "late requests, a person acts", late: true, met: true}, none, true},
		{byMarks{name: "late requests, lists that lag, a person acts", late: true, lag: true, met: true}, none, true},
		{byMarks{name: "late requests, lists that lag, an odd host", late: true, lag: true, odd: true}, none, true},
		{byMarks{name: "mutant: writes again without looking", blind: true}, harmful, false},
		{byMarks{name: "mutant: no wait for what may still be applied", hasty: true}, harmful, false},
		{byMarks{name: "mutant: writes before the intent is recorded", unrecorded: true}, harmful, false},
		{byMarks{name: "mutant: the summary first", summaryFirst: true}, harmful, false},
		{byMarks{name: "mutant: does not read comments back", trusting: true, odd: true}, harmful, false},
		{byMarks{name: "mutant: does not know its earlier account", selfish: true, renewed: true}, harmful, false},
		{byMarks{name: "mutant: a choice is replaced", overwrites: true, late: true}, harmful, false},
		{byMarks{name: "mutant: deletes what a person has answered", greedy: true, late: true, met: true}, harmful, false},
		{byMarks{name: "mutant: takes a person's copy for ours", gullible: true, met: true}, harmful, false},
		{byMarks{name: "mutant: deletes by a list without the recorded comment", rash: true, lag: true}, harmful, false},
		{byMarks{name: "mutant: deletes for a recorded comment that is gone", rash: true, late: true, met: true}, harmful, false},
		{byMarks{name: "mutant: does not record which copy stays", amnesiac: true, late: true}, harmful, false},
		{byMarks{name: "mutant: no janitor", noJanitor: true, late: true}, stuck, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := markWorld{phase: phaseChosen}
			harm := markWorld.harmInTime
			if c.late || c.lag {
				harm = markWorld.harm
			}
			if c.wrong == harmful {
				states, found := search(start, c.next, func(w markWorld) bool { return harm(w) > 1 })
				if t.Logf("%d states", states); !found {
					t.Error("no world with harm was found")
				}
				return
			}
			if c.nightly {
				onlyNightly(t)
			}
			states, most, dead := explore(start, c.next, harm, markWorld.settled)
			t.Logf("%d states, harm %d, %d without a way to the end", states, most, dead)
			if most > 1 || dead > 0 != (c.wrong == stuck) {
				t.Errorf("harm %d, %d without a way to the end", most, dead)
			}
		})
	}
}

// If no copy was answered or edited, the oldest one stays, whichever was recorded.
func TestTheOldestComment(t *testing.T) {
	t.Parallel()
	loses := func(p byMarks) bool {
		_, found := search(markWorld{phase: phaseChosen}, p.next, func(w markWorld) (lost bool) {
			oldest := slices.IndexFunc(w.copies[0][:], func(o markCopy) bool { return o.state == copyVisible })
			if w.over() && w.rows[0].phase == rowVisible && oldest >= 0 {
				p.clean(w, 1, func(n markWorld) {
					sends := func(r markRequest) bool { return r.kind == markDelete && r.note == 1 && r.target == uint8(oldest+1) }
					lost = lost || slices.ContainsFunc(n.flight[:], sends) && !slices.ContainsFunc(w.flight[:], sends)
				})
			}
			return lost
		})
		return found
	}
	if loses(byMarks{lag: true}) {
		t.Error("the oldest was deleted")
	}
	if !loses(byMarks{lag: true, newest: true}) {
		t.Error("the mutant that keeps the newest was not noticed")
	}
}
