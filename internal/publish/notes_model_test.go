package publish_test

import (
	"cmp"
	"slices"
)

// This file explores a model of the protocol for hosts on which each comment is drafted and published by
// itself ([codehost.ProtocolNotes]), as model_test.go does for whole drafts. A publication has one inline
// comment and its summary.
//
// The same events can happen: kills, takeovers of workers that are alive, lost replies, requests that are
// applied after their senders are gone, and lists without the newest draft. To publish a draft, the host
// first reads it, then makes the comment and deletes the draft. Two such requests at once make two comments.
//
// The host may also make the comment and keep the draft, or report a comment that it did not make, or refuse
// forever without a reason. One time, a person deletes a draft of ours, or publishes a chosen one by hand
// while the host does not work on a request about it.
//
// The model makes one assumption: a request to publish a draft is applied within the time that the protocol
// waits after it, or never. A worker therefore sends another request, or drops the comment, only when no
// request is left that could still be applied. One mutant shows the effect of this assumption.
const (
	noteGen     = 3
	noteFlight  = 2
	noteObjects = 4
	noteKills   = 1
	mostCopies  = 2
)

// byNotes is the protocol with its mutants.
type byNotes struct {
	name string
	lag  bool // the list of drafts may miss the newest one
	odd  bool // the host may keep a published draft, or make no comment from it
	met  bool // a person may act

	overwrites   bool // a choice may be withdrawn
	hasty        bool // does not wait for requests that may still be applied
	forgetful    bool // takes a lost answer for a refusal, and drafts the comment again
	tidy         bool // deletes drafts that are not chosen during the publication
	bulk         bool // publishes every draft of the account at once
	summaryFirst bool
	blind        bool // does not look at comments while the draft is listed
	trusting     bool // believes the host's report that it made a comment
}

// These are the phases of a row. Those of the publication are phaseCreating to phaseAbandoned.
const (
	rowPlanned uint8 = iota
	rowDrafting
	rowChosen
	rowPublishing
	rowVisible
	rowDropped
)

// These states of a worker come in addition to pcIdle and pcAct.
const (
	pcNoteFind uint8 = 60 + iota
	pcNoteSendCreate
	pcNoteWaitCreate
	pcNoteChoose
	pcNoteSendPublish
	pcNoteWaitPublish
	pcNoteLook
	pcNoteDone
	pcNoteDrop
)

const (
	noteCreate uint8 = 1 + iota
	notePublish
	noteDelete
)

type noteRow struct{ phase, draft uint8 }

type noteObject struct {
	note, state, copies uint8 // note: 1 the comment, 2 the summary, 0 no object
}

type noteWorker struct{ pc, gen, note, id uint8 }

type noteRequest struct {
	kind, note, target, sender uint8
	read                       bool // the host has read the draft and will make the comment
}

type noteWorld struct {
	phase, gen, kills uint8
	half              bool // it was given up when a comment could be visible
	person            bool // a person has acted
	lost              bool // a comment was dropped although only we can have deleted its draft
	rows              [2]noteRow
	workers           [2]noteWorker
	flight            [noteFlight]noteRequest
	objects           [noteObjects]noteObject
}

func (w noteWorld) over() bool { return w.phase == phasePublished || w.phase == phaseAbandoned }

func (w noteWorld) copies(note uint8) (n int) {
	for _, o := range w.objects {
		if o.note == note {
			n += int(o.copies)
		}
	}
	return n
}

// harm returns 0 or 1 while everything is correct, and more for a state that must not occur: a comment is
// visible twice, the summary before the comment, a publication counts as published without a summary, a
// comment counts as visible and is not, or as dropped and is visible, or a publication was given up before a
// comment could be visible and has one. Comments that a person published are theirs, and then only copies
// count.
func (w noteWorld) harm() int {
	first, summary := w.copies(1), w.copies(2)
	row := w.rows[0].phase
	switch {
	case first > 1 || summary > 1, w.lost:
		return 2
	case w.person:
	case summary > first && row != rowDropped,
		row == rowDropped && first > 0,
		w.phase == phasePublished && (summary != 1 || row == rowVisible && first != 1),
		w.phase == phaseAbandoned && (summary > 0 || first > 0 && !w.half):
		return 2
	}
	return min(summary, 1)
}

func (p byNotes) next(w noteWorld, emit func(noteWorld)) {
	send := func(n noteWorld) { emit(n.plain()) }
	for i := range w.workers {
		p.claim(w, i, send)
		p.work(w, i, send)
		if w.workers[i].pc != pcIdle && w.kills < noteKills {
			k := w
			k.kills++
			k.leave(i)
			send(k)
		}
	}
	for i := range w.flight {
		if w.flight[i].kind != 0 {
			p.resolve(w, i, send)
		}
	}
	p.meddle(w, send)
	if w.over() { // the janitor
		for i, o := range w.objects {
			if o.state == objPending {
				n := w
				n.objects[i].state = objGone
				send(n)
			}
		}
	}
}

// meddle is the one act of a person on a draft of ours.
func (p byNotes) meddle(w noteWorld, emit func(noteWorld)) {
	for i, o := range w.objects {
		if !p.met || w.person || o.state != objPending || o.copies > 0 {
			continue
		}
		n := w
		n.person, n.objects[i].state = true, objGone
		emit(n)
		at := uint8(i + 1)
		if w.rows[o.note-1].draft == at && !slices.ContainsFunc(w.flight[:], func(r noteRequest) bool { return r.kind == notePublish && r.target == at && r.read }) {
			n.objects[i].copies++
			emit(n)
		}
	}
}

// plain returns one representative of all worlds that differ only in names.
func (w noteWorld) plain() noteWorld {
	slices.SortFunc(w.flight[:], func(a, b noteRequest) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.note, b.note), cmp.Compare(a.target, b.target), cmp.Compare(a.sender, b.sender))
	})
	return w
}

func (w *noteWorld) leave(i int) {
	w.workers[i] = noteWorker{}
	for f := range w.flight {
		if w.flight[f].sender == uint8(i+1) {
			w.flight[f].sender = 0
		}
	}
}

func (p byNotes) claim(w noteWorld, i int, emit func(noteWorld)) {
	other := w.workers[1-i]
	if w.workers[i].pc != pcIdle || w.over() || w.gen == noteGen && other.pc != pcIdle && other.gen == w.gen {
		return
	}
	w.gen = min(w.gen+1, noteGen)
	w.workers[i] = noteWorker{pc: pcAct, gen: w.gen}
	emit(w)
}

func (p byNotes) work(w noteWorld, i int, emit func(noteWorld)) {
	me := w.workers[i]
	fenced := me.gen == w.gen && !w.over()
	to := func(n noteWorld, pc, note, id uint8) {
		n.workers[i] = noteWorker{pc, me.gen, note, id}
		if pc == pcIdle {
			n.workers[i] = noteWorker{}
		}
		emit(n)
	}
	row := func(n *noteWorld) *noteRow { return &n.rows[me.note-1] }
	switch me.pc {
	case pcAct:
		if !fenced {
			to(w, pcIdle, 0, 0)
			return
		}
		p.act(w, i, to)
	case pcNoteFind:
		p.find(w, me, to)
	case pcNoteSendCreate, pcNoteSendPublish:
		for f := range w.flight {
			if w.flight[f].kind == 0 {
				n := w
				kind, waits := noteCreate, pcNoteWaitCreate
				if me.pc == pcNoteSendPublish {
					kind, waits = notePublish, pcNoteWaitPublish
				}
				n.flight[f] = noteRequest{kind: kind, note: me.note, target: me.id, sender: uint8(i + 1)}
				to(n, waits, me.note, me.id)
				return
			}
		}
	case pcNoteChoose:
		if !p.overwrites && (!fenced || w.phase != phaseCreating || row(&w).draft != 0) || w.over() {
			to(w, pcIdle, 0, 0)
			return
		}
		n := w
		*row(&n) = noteRow{rowChosen, me.id}
		to(n, pcAct, 0, 0)
	case pcNoteLook:
		p.look(w, i, fenced, to)
	case pcNoteDrop:
		if !fenced || row(&w).phase != rowPublishing {
			to(w, pcIdle, 0, 0)
			return
		}
		row(&w).phase = rowDropped
		w.lost = w.lost || !p.odd && !w.person && w.objects[me.id-1].state != objPending
		if me.note == 2 { // there is no review without the summary
			w.phase, w.half = phaseAbandoned, true
			to(w, pcIdle, 0, 0)
			return
		}
		to(w, pcAct, 0, 0)
	case pcNoteDone:
		if fenced && row(&w).phase == rowPublishing {
			w.rows[me.note-1].phase = rowVisible
			to(w, pcAct, 0, 0)
			return
		}
		to(w, pcIdle, 0, 0)
	}
}

// act reads the rows and decides. The worker holds the current generation.
func (p byNotes) act(w noteWorld, i int, to func(noteWorld, uint8, uint8, uint8)) {
	order := []uint8{1, 2}
	if p.summaryFirst {
		order = []uint8{2, 1}
	}
	switch w.phase {
	case phaseCreating:
		for _, note := range order {
			switch w.rows[note-1].phase {
			case rowPlanned:
				w.rows[note-1].phase = rowDrafting
				to(w, pcNoteSendCreate, note, 0)
				return
			case rowDrafting:
				to(w, pcNoteFind, note, 0)
				return
			}
		}
		w.phase = phaseChosen
		to(w, pcAct, 0, 0)
	case phaseChosen:
		gives, goes := w, w
		gives.phase, goes.phase = phaseAbandoned, phaseSubmitting
		to(gives, pcIdle, 0, 0)
		to(goes, pcAct, 0, 0)
	case phaseSubmitting:
		for _, note := range order {
			row := &w.rows[note-1]
			if first := &w.rows[0]; note == 2 && row.phase == rowChosen && first.phase == rowVisible && w.copies(1) == 0 && !p.trusting {
				if !w.comes(i, first.draft) {
					first.phase = rowDropped // and the summary mentions it
					to(w, pcAct, 0, 0)
				}
				return
			}
			switch row.phase {
			case rowChosen:
				row.phase = rowPublishing
				to(w, pcNoteSendPublish, note, row.draft)
				return
			case rowPublishing:
				to(w, pcNoteLook, note, row.draft)
				return
			}
		}
		if w.copies(2) == 0 && !p.trusting {
			if !w.comes(i, w.rows[1].draft) {
				w.phase, w.half = phaseAbandoned, true
				to(w, pcIdle, 0, 0)
			}
			return
		}
		w.phase = phasePublished
		to(w, pcIdle, 0, 0)
	}
}

// find looks for a draft of a comment that an earlier request made.
func (p byNotes) find(w noteWorld, me noteWorker, to func(noteWorld, uint8, uint8, uint8)) {
	newest := uint8(0)
	for i, o := range w.objects {
		if o.note != 0 {
			newest = uint8(i + 1)
		}
	}
	found := false
	for i, o := range w.objects {
		id := uint8(i + 1)
		if o.note != me.note || o.state != objPending {
			continue
		}
		to(w, pcNoteChoose, me.note, id)
		if id == newest && p.lag {
			continue
		}
		found = true
		for f := range w.flight {
			if p.tidy && w.flight[f].kind == 0 && w.rows[me.note-1].draft != id { // according to its list, which is old when the request arrives
				n := w
				n.flight[f] = noteRequest{kind: noteDelete, target: id}
				to(n, pcIdle, 0, 0)
				break
			}
		}
	}
	if !found {
		if me.gen == w.gen {
			to(w, pcNoteSendCreate, me.note, 0)
			return
		}
		to(w, pcIdle, 0, 0)
	}
}

// look finds out the outcome of a request to publish a draft.
func (p byNotes) look(w noteWorld, i int, fenced bool, to func(noteWorld, uint8, uint8, uint8)) {
	me := w.workers[i]
	switch {
	case p.forgetful && fenced:
		w.rows[me.note-1] = noteRow{rowDrafting, 0}
		w.phase = phaseCreating
		to(w, pcNoteSendCreate, me.note, 0)
	case w.copies(me.note) > 0 && (!p.blind || w.objects[me.id-1].state != objPending):
		to(w, pcNoteDone, me.note, me.id)
	case !fenced:
		to(w, pcIdle, 0, 0)
	case !p.hasty && w.comes(i, me.id):
	case w.objects[me.id-1].state != objPending:
		to(w, pcNoteDrop, me.note, me.id)
	default: // try again, or give up
		to(w, pcNoteSendPublish, me.note, me.id)
		to(w, pcNoteDrop, me.note, me.id)
	}
}

// comes reports whether a request to publish a draft, by a sender other than i, may still be applied.
func (w noteWorld) comes(i int, draft uint8) bool {
	other := w.workers[1-i]
	return other.pc == pcNoteSendPublish && other.id == draft ||
		slices.ContainsFunc(w.flight[:], func(r noteRequest) bool { return r.kind == notePublish && r.target == draft })
}
