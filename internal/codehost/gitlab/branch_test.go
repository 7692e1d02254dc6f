package gitlab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A status is set on the source branch of its merge request. For a fork that is the fork's branch if the
// account may write there, and else the project, where no branch has the commit.
func TestAStatusStandsOnTheSourceBranch(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "topic", From: "main", Files: map[string]string{"a.txt": "a\n"}, Author: "ann"}))(t)
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "other", From: "topic", Files: map[string]string{"b.txt": "b\n"}, Author: "ann"}))(t)
	pull := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Topic", Head: "topic", Author: "ann"}))(t)
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "away", From: "main", Files: map[string]string{"c.txt": "c\n"}, Author: "ann"}))(t)
	fork := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Fork", Head: "away", Author: "ann", Fork: "ann"}))(t)
	h, repo := s.host(&codehosttest.Gate{}), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	say := func(pull shared.Pull, number int, title string) error {
		_, err := h.CreateCheck(ctx, repo, codehost.Check{ExternalID: "run_1", Name: "assay", Number: number, HeadSHA: pull.HeadSHA, Status: "completed", Conclusion: "success", Title: markdown.Stored(title)})
		return err
	}
	refs := func(project string) (out []string) {
		for _, st := range must(s.ctl.Statuses(ctx, simclient.Repo(project)))(t) {
			out = append(out, st.Ref+" "+st.Description)
		}
		return out
	}
	must(0, say(pull, pull.Number, "one"))(t)
	if got := strings.Join(refs(full), ", "); got != "topic one" {
		t.Errorf("status of a branch: %q", got)
	}
	if err := say(fork, 0, "lost"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("without a branch, of a fork: %v", err)
	}
	must(0, say(fork, fork.Number, "two"))(t) // the account can see the fork but not write to it
	if got := strings.Join(refs(full), ", "); got != fmt.Sprintf("topic one, refs/merge-requests/%d/head two", fork.Number) || len(refs("ann/demo")) != 0 {
		t.Errorf("status of another owner's fork: %q, in the fork %q", got, refs("ann/demo"))
	}
	s.change(simclient.Repo("ann/demo"), simapi.RepoChange{Collaborators: map[string]string{"bot": "write"}})
	must(0, say(fork, fork.Number, "three"))(t)
	if got := strings.Join(refs("ann/demo"), ", "); got != "away three" {
		t.Errorf("status of a fork that we can write to: %q", got)
	}
	ids := must(h.FindChecks(ctx, repo, codehost.Check{ExternalID: "run_1", Name: "assay", Number: fork.Number, HeadSHA: fork.HeadSHA, Status: "completed", Conclusion: "success"}))(t)
	if len(ids) != 1 {
		t.Errorf("found %v", ids)
	}
}

// A fork's branch is never a branch of the project, even if the names are equal. A status that cannot be set
// in the fork, or whose fork was deleted, is not set on the project's branch of the same name.
func TestAStatusOfAForkIsOnNoBranchOfTheProject(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{"a fork that is not ours": "8", "a fork that is deleted": "null"} {
		s := newScripted(t)
		s.json("GET "+scriptedPath+"/merge_requests/7", `{"iid":7,"source_branch":"main","target_branch":"main","source_project_id":`+source+`,"target_project_id":5}`)
		var set []string
		at := func(project string, status int) {
			s.answers["POST "+project+"/statuses/"+headSHA] = func(w http.ResponseWriter, r *http.Request) {
				var in struct{ Ref string }
				_ = json.NewDecoder(r.Body).Decode(&in)
				set = append(set, project+" "+in.Ref)
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, `{"message":"403 Forbidden"}`)
			}
		}
		at("/projects/8", http.StatusForbidden)
		at(scriptedPath, http.StatusCreated)
		check := codehost.Check{ExternalID: "run_1", Name: "assay", Number: 7, HeadSHA: headSHA, Status: "completed", Conclusion: "success"}
		if _, err := s.host().CreateCheck(t.Context(), scriptedRepo, check); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := scriptedPath + " refs/merge-requests/7/head"
		if source != "null" {
			want = "/projects/8 main, " + want
		}
		if got := strings.Join(set, ", "); got != want {
			t.Errorf("%s: set on %s, want %s", name, got, want)
		}
	}
}

// If a draft without a place becomes a thread, the summary is found, read, edited and resolved like any
// other.
func TestASummaryThatIsAThread(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.DraftThreads)
	f := s.fixture()
	ctx := t.Context()
	n := codehost.NotesOf(f.Host)
	made := must(n.DraftNote(ctx, f.Repo, f.Number, f.Head, codehost.DraftComment{Body: markdown.Const("the summary")}))(t)
	must(0, n.PublishNote(ctx, f.Repo, f.Number, made.ID))(t)
	notes := must(n.Notes(ctx, f.Repo, f.Number))(t)
	list := must(f.Host.Reviews(ctx, f.Repo, f.Number))(t)
	if len(notes) != 1 || !notes[0].Open || len(list) != 1 || list[0].ID != notes[0].ID || list[0].Body != "the summary" {
		t.Fatalf("notes %+v, reviews %+v", notes, list)
	}
	if got := must(f.Host.Review(ctx, f.Repo, f.Number, list[0].ID))(t); got != list[0] {
		t.Errorf("read %+v, listed %+v", got, list[0])
	}
	resolver, ok := codehost.ResolverOf(f.Host)
	if !ok {
		t.Fatal("nothing resolves")
	}
	must(0, resolver.SetResolved(ctx, f.Repo, f.Number, list[0].ID, true))(t)
	must(0, f.Host.EditReview(ctx, f.Repo, f.Number, list[0].ID, markdown.Const("edited")))(t)
	if notes = must(n.Notes(ctx, f.Repo, f.Number))(t); notes[0].Open || notes[0].Body != "edited" {
		t.Errorf("notes %+v", notes)
	}
}

// The adapter refuses an invalid place. The host would accept it and publish no comment.
func TestTheHostTakesADraftAtAnyPlace(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		s := newSim(t)
		must(0, s.srv.Configure(simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.StrictDrafts: strict}}))(t)
		f := s.fixture()
		h := f.Host.(*Host)
		p := must(h.placesAt(t.Context(), "op", f.Repo, f.Number, f.Head))(t)
		p.files[f.Path].hunks[0].NewStart += 1000 // makes the adapter's places wrong
		made, err := h.DraftNote(t.Context(), f.Repo, f.Number, f.Head, codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: f.Line + 1000, Body: markdown.Const("nowhere")})
		if strict {
			if codehost.ClassOf(err) != codehost.ClassInvalid {
				t.Errorf("strict: %v", err)
			}
			continue
		}
		must(0, err)(t)
		must(0, h.PublishNote(t.Context(), f.Repo, f.Number, made.ID))(t)
		if notes, drafts := must(h.Notes(t.Context(), f.Repo, f.Number))(t), must(h.NoteDrafts(t.Context(), f.Repo, f.Number))(t); len(notes)+len(drafts) != 0 {
			t.Errorf("notes %+v, drafts %+v", notes, drafts)
		}
	}
}

// A thread on a removed line has the file's new path, like findings.
func TestAThreadOnARemovedLineOfARenamedFile(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	pull := s.changing()
	must(s.ctl.Note(t.Context(), named, pull.Number, simapi.NoteSpec{Author: "ann", Path: "new/name.txt", OldLine: 20, Body: "why?"}))(t)
	h, repo := s.host(&codehosttest.Gate{}), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	got := must(h.Threads(t.Context(), repo, pull.Number))(t)
	if len(got) != 1 || got[0].Path != "new/name.txt" || got[0].Side != "LEFT" || got[0].Line != 20 {
		t.Errorf("%+v", got)
	}
}
