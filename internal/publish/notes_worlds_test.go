package publish_test

import "testing"

// resolve emits the possible outcomes of a request.
func (p byNotes) resolve(w noteWorld, f int, emit func(noteWorld)) {
	r := w.flight[f]
	reply := func(n noteWorld, pc, id uint8) {
		if !r.read || pc != 0 {
			n.flight[f] = noteRequest{}
		}
		if r.sender != 0 {
			me := &n.workers[r.sender-1]
			*me = noteWorker{pc, me.gen, me.note, id}
		}
		emit(n)
	}
	lost := pcAct
	if r.kind == notePublish {
		lost = pcNoteLook
	}
	if r.sender != 0 { // its sender gets no reply, and it may be applied late
		n := w
		n.flight[f].sender = 0
		me := &n.workers[r.sender-1]
		*me = noteWorker{lost, me.gen, me.note, r.target}
		emit(n)
	}
	if !r.read { // dropped
		reply(w, lost, r.target)
	}
	switch r.kind {
	case noteCreate:
		for i := 2 * (r.note - 1); i < 2*r.note; i++ { // each comment has room for two drafts; a third is dropped
			if w.objects[i].note == 0 {
				n := w
				n.objects[i] = noteObject{note: r.note, state: objPending}
				reply(n, pcNoteChoose, i+1)
				return
			}
		}
	case noteDelete:
		n := w
		n.flight[f] = noteRequest{}
		if n.objects[r.target-1].state == objPending {
			n.objects[r.target-1].state = objGone
		}
		emit(n)
	case notePublish:
		o := w.objects[r.target-1]
		switch {
		case r.read:
			n := w
			n.objects[r.target-1] = noteObject{o.note, objGone, min(o.copies+1, mostCopies)}
			for i, other := range n.objects {
				if p.bulk && other.state == objPending {
					n.objects[i] = noteObject{other.note, objGone, min(other.copies+1, mostCopies)}
				}
			}
			reply(n, pcNoteDone, r.target)
			if !p.odd {
				return
			}
			kept := w // an error after the comment was made
			kept.objects[r.target-1] = noteObject{o.note, objPending, min(o.copies+1, mostCopies)}
			kept.flight[f].read = false
			reply(kept, pcNoteLook, r.target)
			unmade := w // the reply for an invalid comment
			unmade.objects[r.target-1].state = objGone
			reply(unmade, pcNoteDone, r.target)
		case o.state == objPending:
			n := w
			n.flight[f].read = true
			emit(n)
		default: // the draft does not exist
			reply(w, pcNoteLook, r.target)
		}
	}
}

func TestNoteByNoteInEveryWorld(t *testing.T) {
	for _, c := range []struct {
		byNotes
		right bool
	}{
		{byNotes{name: "a list that shows all"}, true},
		{byNotes{name: "a list that lags", lag: true}, true},
		{byNotes{name: "a host that says otherwise", odd: true}, true},
		{byNotes{name: "a person", met: true}, true},
		{byNotes{name: "mutant: a choice is taken back", overwrites: true}, false},
		{byNotes{name: "mutant: no wait for what may still be applied", hasty: true}, false},
		{byNotes{name: "mutant: drafts again after a lost answer", forgetful: true}, false},
		{byNotes{name: "mutant: deletes drafts while the publication goes on", tidy: true}, false},
		{byNotes{name: "mutant: makes all drafts visible at once", bulk: true}, false},
		{byNotes{name: "mutant: the summary first", summaryFirst: true}, false},
		{byNotes{name: "mutant: does not look at comments", blind: true, odd: true}, false},
		{byNotes{name: "mutant: believes the host", trusting: true, odd: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := noteWorld{phase: phaseCreating}
			if c.met {
				start.kills = noteKills // a person instead of a kill
			}
			if !c.right {
				states, found := search(start, c.next, func(w noteWorld) bool { return w.harm() > 1 })
				if t.Logf("%d states", states); !found {
					t.Error("no world with harm was found")
				}
				return
			}
			states, harm, dead := explore(start, c.next, noteWorld.harm, noteWorld.over)
			t.Logf("%d states, harm %d, %d without a way to the end", states, harm, dead)
			if harm > 1 || dead > 0 {
				t.Errorf("harm %d, %d without a way to the end", harm, dead)
			}
		})
	}
}
