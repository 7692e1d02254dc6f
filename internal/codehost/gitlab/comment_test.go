package gitlab

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A note is the same comment whether or not the body names its thread.
func TestANoteIsOneCommentInWhateverThread(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, repo := t.Context(), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	pull := s.open("topic", "half.go", simFile)
	h := s.host(&codehosttest.Gate{})
	for what, path := range map[string]string{"on a line": "half.go", "in the conversation": ""} {
		n := must(s.ctl.Note(ctx, named, pull.Number, simapi.NoteSpec{Author: "ann", Path: path, NewLine: 1, Body: "/assay pause"}))(t)
		bare := noteID{number: pull.Number, note: n.ID}
		threaded := bare
		threaded.discussion = n.Discussion
		for _, id := range []domain.HostID{bare.id(), threaded.id()} {
			got := must(h.Comment(ctx, repo, codehost.EventComment{ID: id, Number: pull.Number}))(t)
			if got.Name() != bare.id() || got.Edited {
				t.Errorf("%s, told as %s: %+v", what, id, got)
			}
		}
	}
}

// A note that answers another names the first note of their discussion.
func TestAnAnswerNamesTheFirstNote(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, repo := t.Context(), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	pull := s.open("topic", "half.go", simFile)
	h := s.host(&codehosttest.Gate{})
	first := must(s.ctl.Note(ctx, named, pull.Number, simapi.NoteSpec{Author: "ann", Path: "half.go", NewLine: 1, Body: "This is wrong."}))(t)
	want := noteID{number: pull.Number, note: first.ID, discussion: first.Discussion}.id()
	for i, body := range []string{"No.", "Yes."} {
		n := must(s.ctl.Note(ctx, named, pull.Number, simapi.NoteSpec{Author: "bob", Answers: first.ID, Body: body}))(t)
		got := must(h.Comment(ctx, repo, codehost.EventComment{Number: pull.Number,
			ID: noteID{number: pull.Number, note: n.ID, discussion: n.Discussion}.id()}))(t)
		if got.InReplyTo != want || !got.Inline {
			t.Errorf("answer %d: %+v, want an answer to %s", i+1, got, want)
		}
	}
	got := must(h.Comment(ctx, repo, codehost.EventComment{Number: pull.Number, ID: want}))(t)
	if got.InReplyTo != "" {
		t.Errorf("the first note answers %q", got.InReplyTo)
	}
}

// An edited note is marked as edited. The host stores both times of a new note a moment apart.
func TestAnEditedNoteSaysSo(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, repo := t.Context(), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	pull := s.open("topic", "half.go", simFile)
	h := s.host(&codehosttest.Gate{})
	n := must(s.ctl.Note(ctx, named, pull.Number, simapi.NoteSpec{Author: "ann", Body: "/assay pause"}))(t)
	for after, want := range map[time.Duration]bool{0: false, codehost.EditTime: false, codehost.EditTime + time.Millisecond: true, -time.Hour: false} {
		at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
		body := `{"id":` + string(domain.NumberID(n.ID)) + `,"body":"/assay pause","author":{"id":1,"username":"ann"},"created_at":"` + at.Format(time.RFC3339Nano) + `","updated_at":"` + at.Add(after).Format(time.RFC3339Nano) + `"}`
		must(s.ctl.SetFault(ctx, shared.Fault{Path: `/notes/\d+$`, Action: shared.Respond, Status: 200, ReplyBody: body, Times: 1}))(t)
		got := must(h.Comment(ctx, repo, codehost.EventComment{ID: noteID{number: pull.Number, note: n.ID}.id(), Number: pull.Number}))(t)
		if got.Edited != want {
			t.Errorf("changed %v after it was written: %+v", after, got)
		}
	}
}
