package gitlab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

func numbered(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i+1)
	}
	return b.String()
}

// changing opens a merge request that adds, deletes, renames and changes files.
func (s *simulated) changing() shared.Pull {
	s.t.Helper()
	ctx := s.t.Context()
	base := must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "main", Author: "ann", Files: map[string]string{
		"gone.txt": numbered("gone", 6), "old/name.txt": numbered("line", 40), "long.txt": numbered("line", 60)}}))(s.t).SHA
	renamed := strings.Replace(numbered("line", 40), "line 20\n", "line twenty\n", 1)
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "files", From: base, Author: "ann", Delete: []string{"gone.txt", "old/name.txt"}, Files: map[string]string{
		"new.txt": numbered("new", 6), "new/name.txt": renamed, "long.txt": strings.Replace(numbered("line", 60), "line 30\n", "line thirty\n", 1)}}))(s.t)
	return must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Files", Head: "files", Author: "ann"}))(s.t)
}

// says publishes comments. It returns where the visible ones stand, and the errors of the refused ones.
func (s *simulated) says(pull shared.Pull, list []codehost.DraftComment) (shown []string, refused int) {
	s.t.Helper()
	ctx, h, repo := s.t.Context(), s.host(&codehosttest.Gate{}), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	for _, c := range list {
		c.Body = markdown.Const("here")
		made, err := h.DraftNote(ctx, repo, pull.Number, pull.HeadSHA, c)
		if codehost.ClassOf(err) == codehost.ClassInvalid {
			refused++
			continue
		}
		if err != nil {
			s.t.Fatalf("%s %s %d: %v", c.Path, c.Side, c.Line, err)
		}
		if err := h.PublishNote(ctx, repo, pull.Number, made.ID); err != nil {
			s.t.Error(err)
		}
	}
	for _, n := range must(s.ctl.Notes(ctx, named, pull.Number))(s.t) {
		shown = append(shown, fmt.Sprintf("%s %s %d-%d", n.Path, n.Side, n.StartLine, n.Line))
	}
	return shown, refused
}

// New, deleted and renamed files have comments on one line and on several lines, on both sides. Their line
// codes match those that the simulator computes independently.
func TestPlacesInFilesThatAreNewGoneOrRenamed(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	pull := s.changing()
	list := []codehost.DraftComment{
		{Path: "new.txt", Side: "RIGHT", Line: 1}, {Path: "new.txt", Side: "RIGHT", StartLine: 1, Line: 2}, {Path: "new.txt", Side: "RIGHT", StartLine: 3, Line: 6},
		{Path: "gone.txt", Side: "LEFT", Line: 1}, {Path: "gone.txt", Side: "LEFT", StartLine: 1, Line: 6}, {Path: "gone.txt", Side: "LEFT", StartLine: 5, Line: 6},
		{Path: "new/name.txt", Side: "RIGHT", StartLine: 19, Line: 20}, {Path: "new/name.txt", Side: "LEFT", StartLine: 19, Line: 20}, {Path: "new/name.txt", Side: "RIGHT", Line: 2},
		{Path: "long.txt", Side: "RIGHT", StartLine: 28, Line: 30}, {Path: "long.txt", Side: "RIGHT", Line: 60},
	}
	shown, refused := s.says(pull, list)
	want := []string{"new.txt RIGHT 0-1", "new.txt RIGHT 1-2", "new.txt RIGHT 3-6", "gone.txt LEFT 0-1", "gone.txt LEFT 1-6", "gone.txt LEFT 5-6",
		"new/name.txt RIGHT 19-20", "new/name.txt LEFT 19-20", "new/name.txt RIGHT 0-2", "long.txt RIGHT 28-30", "long.txt RIGHT 0-60"}
	if !slices.Equal(shown, want) || refused != 0 {
		t.Errorf("%d refused, shown %q\nwant %q", refused, shown, want)
	}
	places := []codehost.DraftComment{{Path: "new.txt", Side: "RIGHT", Line: 7}, {Path: "new.txt", Side: "LEFT", Line: 1}, {Path: "gone.txt", Side: "LEFT", Line: 7},
		{Path: "gone.txt", Side: "RIGHT", Line: 1}, {Path: "old/name.txt", Side: "LEFT", Line: 20}, {Path: "long.txt", Side: "RIGHT", Line: 61}, {Path: "long.txt", Side: "LEFT", Line: 99}}
	if again, refused := s.says(pull, places); len(again) != len(want) || refused != len(places) {
		t.Errorf("%d of %d invalid places are refused, shown %q", refused, len(places), again[len(want):])
	}
}

// Lines that the host omits because a file is collapsed or too large are placed by git's diff: added, removed
// and unchanged lines. Nothing is guessed for a head that was replaced.
func TestPlacesInTextThatTheHostLeavesOut(t *testing.T) {
	t.Parallel()
	for what, set := range map[string]simapi.Settings{"collapsed": {CollapseBytes: 1, TooLargeBytes: 1 << 20}, "too large": {CollapseBytes: 1, TooLargeBytes: 1}} {
		s := newSim(t)
		must(0, s.srv.Configure(set))(t)
		pull := s.changing()
		list := []codehost.DraftComment{{Path: "new.txt", Side: "RIGHT", StartLine: 3, Line: 6}, {Path: "gone.txt", Side: "LEFT", StartLine: 5, Line: 6},
			{Path: "new/name.txt", Side: "RIGHT", StartLine: 18, Line: 19}, {Path: "long.txt", Side: "RIGHT", Line: 29}, {Path: "long.txt", Side: "LEFT", Line: 30}, {Path: "long.txt", Side: "RIGHT", Line: 3}}
		shown, refused := s.says(pull, list)
		want := []string{"new.txt RIGHT 3-6", "gone.txt LEFT 5-6", "new/name.txt RIGHT 18-19", "long.txt RIGHT 0-29", "long.txt LEFT 0-30", "long.txt RIGHT 0-3"}
		if !slices.Equal(shown, want) || refused != 0 {
			t.Errorf("%s: %d refused, shown %q", what, refused, shown)
		}
		s.push("files", map[string]string{"other.txt": "x\n"})
		if again, refused := s.says(pull, list[3:4]); refused != 1 || len(again) != len(want) {
			t.Errorf("%s, on a head that was replaced: %d refused, %q", what, refused, again)
		}
	}
}

// Omitted text is requested once, even if the request fails.
func TestTextThatTheHostLeavesOutIsAskedForOnce(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	must(0, s.srv.Configure(simapi.Settings{CollapseBytes: 1, TooLargeBytes: 1}))(t)
	pull := s.changing()
	s.push("files", map[string]string{"other.txt": "x\n"})
	gate := &codehosttest.Gate{}
	h, repo := s.host(gate), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	asked := 0
	for i := range 3 {
		_, err := h.DraftNote(t.Context(), repo, pull.Number, pull.HeadSHA, codehost.DraftComment{Path: "long.txt", Side: "RIGHT", Line: 29, Body: markdown.Const("here")})
		if codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Fatal(err)
		}
		n := len(gate.Events())
		if i > 0 && n != asked {
			t.Errorf("comment %d causes another request: %+v", i+1, gate.Events()[asked:])
		}
		asked = n
	}
}

// The places of a version are read again after a while, because a merge request with a new target branch has
// a new version with the same head.
func TestPlacesAreNotKeptForLong(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	pull := s.changing()
	gate := &codehosttest.Gate{}
	h, repo := s.host(gate), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	asks := func() int {
		before := len(gate.Events())
		must(h.placesAt(t.Context(), "op", repo, pull.Number, pull.HeadSHA))(t)
		return len(gate.Events()) - before
	}
	if first, second := asks(), asks(); first == 0 || second != 0 {
		t.Errorf("the host got %d requests, then %d", first, second)
	}
	h.places[0].read = h.places[0].read.Add(-placesLast)
	if third := asks(); third == 0 || len(h.places) != 1 {
		t.Errorf("the host got %d requests, and %d versions are kept", third, len(h.places))
	}
}

func FuzzPlaces(f *testing.F) {
	for _, seed := range []string{"@@ -0,0 +1,2 @@\n+a\n+b\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", "@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n@@ -9 +10 @@ f\n-x\n+y\n\\ No newline at end of file\n", "@@", "Binary files differ", "@@ -5,0 +6,1 @@\n+a\n"} {
		f.Add(seed, 3, true)
	}
	f.Fuzz(func(t *testing.T, text string, line int, right bool) {
		if len(text) > 1<<16 || line <= 0 || line > 1<<30 {
			return
		}
		side := domain.Left
		if right {
			side = domain.Right
		}
		file := &placedFile{oldPath: "a", newPath: "b", hunks: hunksOf(t.Context(), &sdk.Diff{Diff: text, NewPath: "b", OldPath: "a"})}
		p := &places{files: map[string]*placedFile{"b": file}}
		at, err := p.position("op", codehost.DraftComment{Path: "b", Side: string(side), StartLine: max(line-1, 0), Line: line})
		if err != nil {
			if codehost.ClassOf(err) != codehost.ClassInvalid {
				t.Fatal(err)
			}
			return
		}
		number := at.OldLine
		if right {
			number = at.NewLine
		}
		if number == nil || *number != int64(line) {
			t.Errorf("line %d (%s) of %q stands at %v", line, side, text, number)
		}
		if r := at.LineRange; r != nil && (*r.End.LineCode == "" || r.Start.OldLine == nil && r.Start.NewLine == nil) {
			t.Errorf("a range without a place: %+v", r)
		}
	})
}
