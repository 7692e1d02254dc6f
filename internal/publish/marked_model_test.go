package publish_test

import (
	"cmp"
	"slices"
)

// This file explores a model of the protocol for hosts that can prepare nothing unseen
// ([codehost.ProtocolMarked]), as notes_model_test.go does for hosts with drafts of comments. A publication has
// one inline comment and its summary.
//
// The same events can happen: kills, takeovers of workers that are alive, lost replies, refused requests (a limit,
// a repository with a new name, a token that is replaced later), and requests that are applied after their senders
// are gone. The host may also answer with the id of a comment that it does not keep. One time, a person answers or
// edits a comment of ours, deletes one, or copies one with its mark; or the connection gets another account.
//
// In the first worlds, a request is applied within the time that the protocol waits after it, or never, and lists
// show all comments made by then. There is never a second copy of a comment. In the other worlds, requests may be
// applied later, or lists lack the newest comment for longer. A twin may then be visible, and the janitor leads
// from every world to one with a single copy. In no world do we delete the last copy, or one that a person has
// answered or edited. The janitor's deletions may be applied late, too.
const (
	markGen    = 3
	markFlight = 2
	markCopies = 2 // for each comment
	markKills  = 1
)

// byMarks is the protocol with its worlds and its mutants.
type byMarks struct {
	name    string
	late    bool // requests may be applied later than the protocol waits
	lag     bool // lists may miss the newest comment for longer than the protocol waits
	odd     bool // the host may not keep a comment that it has answered for
	met     bool // a person may act
	renewed bool // the connection may get another account

	blind        bool // writes again without looking
	hasty        bool // does not wait for requests that may still be applied
	unrecorded   bool // writes before the intent is recorded
	summaryFirst bool
	trusting     bool // does not read comments back
	overwrites   bool // a choice may be replaced, also after the end
	greedy       bool // deletes what a person has answered or edited
	gullible     bool // takes a person's copy for ours
	selfish      bool // does not recognise comments of our earlier account
	rash         bool // the janitor deletes the others although the list lacks the recorded comment
	amnesiac     bool // the janitor does not record which copy stays
	newest       bool // the janitor keeps the newest copy
	noJanitor    bool
}

// These states of a worker come in addition to pcIdle and pcAct. The phases of a row are those of
// notes_model_test.go, without rowPublishing.
const (
	pcMarkSend uint8 = 120 + iota
	pcMarkWait
	pcMarkChoose
	pcMarkRead
)

const (
	copyVisible uint8 = 1 + iota
	copyGone
)

const (
	byUs uint8 = iota
	byOldAccount
	byPerson
)

const (
	markCreate uint8 = 1 + iota
	markDelete
)

// markCopy is a comment on the host; the lower its index, the older it is.
type markCopy struct {
	state, author uint8
	touched       bool // a person has answered or edited it
}

type markRequest struct {
	kind, note, target, sender uint8
	old                        bool // sent with the earlier account
}

type markWorld struct {
	phase, gen, kills uint8
	person            bool // a person has acted, or the account was replaced
	rude              bool // a deletion was decided that must not be
	rows              [2]noteRow
	workers           [2]noteWorker
	flight            [markFlight]markRequest
	copies            [2][markCopies]markCopy
}

func (w markWorld) over() bool { return w.phase == phasePublished || w.phase == phaseAbandoned }

// visible returns the number of visible copies that we have made of a comment.
func (w markWorld) visible(note uint8) (n int) {
	for _, o := range w.copies[note-1] {
		if o.state == copyVisible && o.author != byPerson {
			n++
		}
	}
	return n
}

// harm returns 0 or 1 while everything is correct, and more for a state that must not occur in any world.
func (w markWorld) harm() int {
	first, summary := w.rows[0], w.rows[1]
	gone := func(note uint8, r noteRow) bool {
		return r.phase == rowVisible && w.copies[note-1][r.draft-1].state == copyGone
	}
	switch {
	case w.rude:
		return 2
	case w.person:
	case w.visible(2) > 0 && first.phase < rowVisible, // the summary before the comment
		w.phase == phasePublished && summary.phase != rowVisible,
		gone(1, first), gone(2, summary): // what counts as visible is not
		return 2
	}
	return 0
}

// harmInTime adds what must not occur if requests are applied in time and lists are complete.
func (w markWorld) harmInTime() int {
	for note := uint8(1); note <= 2; note++ {
		if w.visible(note) > 1 || w.rows[note-1].phase == rowDropped && w.visible(note) > 0 {
			return 2
		}
	}
	return w.harm()
}

// settled reports whether nothing is under way and each comment that counts as visible is there once. Other
// copies are there only if a person has answered or edited them.
func (w markWorld) settled() bool {
	if !w.over() || w.workers != [2]noteWorker{} || w.flight != [markFlight]markRequest{} {
		return false
	}
	for i, row := range w.rows {
		for k, o := range w.copies[i] {
			stays := row.phase == rowVisible && row.draft == uint8(k+1)
			if o.state == copyVisible && o.author == byUs && !stays && !o.touched {
				return false
			}
		}
	}
	return true
}

func (p byMarks) next(w markWorld, emit func(markWorld)) {
	send := func(n markWorld) { emit(n.plain()) }
	for i := range w.workers {
		p.claim(w, i, send)
		p.work(w, i, send)
		if w.workers[i].pc != pcIdle && w.kills < markKills {
			k := w
			k.kills++
			k.leave(i)
			send(k)
		}
	}
	for f, r := range w.flight {
		if r.kind != 0 {
			p.resolve(w, f, send)
		}
	}
	p.meddle(w, send)
	if w.over() && !p.noJanitor {
		for note := uint8(1); note <= 2; note++ {
			p.clean(w, note, send)
		}
	}
}

// plain returns one representative of all worlds that differ only in the order of requests.
func (w markWorld) plain() markWorld {
	slices.SortFunc(w.flight[:], func(a, b markRequest) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.note, b.note), cmp.Compare(a.target, b.target), cmp.Compare(a.sender, b.sender))
	})
	return w
}

func (w *markWorld) leave(i int) {
	w.workers[i] = noteWorker{}
	for f := range w.flight {
		if w.flight[f].sender == uint8(i+1) {
			w.flight[f].sender = 0
		}
	}
}

// sent returns the world with a request under way; false if too many are.
func (w markWorld) sent(r markRequest) (markWorld, bool) {
	i := slices.IndexFunc(w.flight[:], func(f markRequest) bool { return f.kind == 0 })
	if i < 0 || r.kind == markDelete && slices.ContainsFunc(w.flight[:], func(f markRequest) bool { return f == r }) {
		return w, false
	}
	w.flight[i] = r
	return w, true
}

// meddle is the one act of a person, or the replacement of the account.
func (p byMarks) meddle(w markWorld, emit func(markWorld)) {
	if w.person {
		return
	}
	w.person = true
	if p.renewed {
		n := w
		for i := range n.copies {
			for k := range n.copies[i] {
				if n.copies[i][k].state != 0 {
					n.copies[i][k].author = byOldAccount
				}
			}
		}
		for f := range n.flight {
			n.flight[f].old = n.flight[f].kind != 0
		}
		emit(n)
	}
	if !p.met {
		return
	}
	for i := range w.copies {
		for k, o := range w.copies[i] {
			if o.state != copyVisible {
				continue
			}
			touched, deleted := w, w
			touched.copies[i][k].touched = true
			emit(touched)
			deleted.copies[i][k].state = copyGone
			emit(deleted)
			if free := slices.Index(w.copies[i][:], markCopy{}); free >= 0 {
				copied := w
				copied.copies[i][free] = markCopy{state: copyVisible, author: byPerson}
				emit(copied)
			}
		}
	}
}

// clean is one step of the janitor on one comment, according to a list that may lack the newest copy.
func (p byMarks) clean(w markWorld, note uint8, emit func(markWorld)) {
	p.cleaned(w, note, markCopies+1, emit)
	if newest := w.newest(note); p.lag && newest > 0 {
		p.cleaned(w, note, newest, emit)
	}
}

// newest returns the number of the newest visible copy, or 0.
func (w markWorld) newest(note uint8) (newest uint8) {
	for k, o := range w.copies[note-1] {
		if o.state == copyVisible {
			newest = uint8(k + 1)
		}
	}
	return newest
}

func (p byMarks) cleaned(w markWorld, note, misses uint8, emit func(markWorld)) {
	row, all := w.rows[note-1], w.copies[note-1]
	var listed []uint8 // ours and not touched, oldest first; and the recorded one
	stays, touched := uint8(0), uint8(0)
	for k, o := range all {
		id := uint8(k + 1)
		ours := o.author == byUs || p.gullible && o.author == byPerson
		if o.state != copyVisible || id == misses || !ours {
			continue
		}
		if listed = append(listed, id); touched == 0 && o.touched {
			touched = id
		}
	}
	if row.phase == rowVisible {
		recorded := all[row.draft-1]
		switch listedToo := slices.Contains(listed, row.draft); {
		case !listedToo && recorded.state == copyVisible && !p.rash: // read by its id; the next look sees all
			return
		case !listedToo && p.rash, recorded.touched && recorded.state == copyVisible:
			stays = row.draft
		case touched != 0:
			stays = touched
		case len(listed) > 0:
			stays = listed[0]
			if p.newest {
				stays = listed[len(listed)-1]
			}
		}
	}
	if stays != 0 && stays != row.draft && !p.amnesiac {
		w.rows[note-1].draft = stays
		emit(w)
		return
	}
	for _, id := range listed {
		if id == stays || all[id-1].touched && !p.greedy {
			continue
		}
		n, ok := w.sent(markRequest{kind: markDelete, note: note, target: id})
		if !ok {
			continue
		}
		last := row.phase == rowVisible && !slices.ContainsFunc(all[:], func(o markCopy) bool {
			return o.state == copyVisible && o.author != byPerson && o != all[id-1]
		}) && w.visible(note) < 2
		n.rude = n.rude || all[id-1].touched || last || all[id-1].author == byPerson
		emit(n)
	}
}
