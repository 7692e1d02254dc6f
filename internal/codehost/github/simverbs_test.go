package github

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// people creates accounts that can be requested as reviewers, and accounts that cannot.
func (s *simulated) people(t *testing.T) {
	t.Helper()
	for _, login := range []string{"rob", "eve"} {
		if _, err := s.CreateUser(t.Context(), simapi.UserSpec{Login: login}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.UpdateRepo(t.Context(), "octo/demo", simapi.RepoUpdate{Collaborators: map[string]string{"rob": "write"}}); err != nil {
		t.Fatal(err)
	}
}

// fault affects the next request with a method and a matching path.
func (s *simulated) fault(t *testing.T, f codehosttest.Fault, method, path string) {
	t.Helper()
	fault := simFault(f)
	fault.Method, fault.Path = method, path
	if _, err := s.SetFault(fault); err != nil {
		t.Fatal(err)
	}
}

// ci creates a run of a workflow.
func (s *simulated) ci(t *testing.T, workflow, commit string, jobs []codehosttest.CIJob) (ids []domain.HostID) {
	t.Helper()
	spec := simapi.RunSpec{Workflow: workflow, Commit: commit, Branch: "topic"}
	for _, j := range jobs {
		spec.Jobs = append(spec.Jobs, simapi.JobSpec{Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, Log: j.Log, Pad: j.Pad, Gone: j.Gone, Steps: j.Steps})
	}
	run, err := s.AddRun(t.Context(), "octo/demo", spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range run.Jobs {
		ids = append(ids, domain.NumberID(id))
	}
	return ids
}

func (s *simulated) push(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	made, err := s.Commit(t.Context(), "octo/demo", simapi.CommitSpec{Branch: branch, Files: files, Author: "ann", Message: "Push"})
	if err != nil {
		t.Fatal(err)
	}
	return made.SHA
}

func (s *simulated) branches(t *testing.T) codehosttest.Branches {
	return codehosttest.Branches{
		Head: "topic", Base: "main", Push: func(branch string, files map[string]string) string { return s.push(t, branch, files) },
		Protect: func(branch string) {
			if err := s.UpdateRepo(t.Context(), "octo/demo", simapi.RepoUpdate{Protect: []string{branch}}); err != nil {
				t.Fatal(err)
			}
		},
		// The installation does not reach repositories of other owners.
		Fork: func() codehost.Repo {
			return codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: "77", Owner: "ann", Name: "demo"}
		},
		Fault:     func(f codehosttest.Fault) { s.fault(t, f, "WRITE", "^/repos/[^/]+/[^/]+/git/refs") },
		Meanwhile: func(f func()) { s.interrupt.Once(f) },
	}
}

// A fast-forward would also bring back a commit that was just removed from the branch. The branch is
// therefore read again after the objects were created.
func TestCommitBringsNothingBack(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	head := s.push(t, "topic", map[string]string{"half.go": simFile})
	h := s.host(t, &codehosttest.Gate{})
	s.interrupt.Match = func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git/trees")
	}
	s.interrupt.Once(func() {
		if _, err := s.Commit(t.Context(), "octo/demo", simapi.CommitSpec{Branch: "topic", MoveTo: s.repo.HeadSHA, Author: "ann"}); err != nil {
			t.Error(err)
		}
	})
	repo := codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
	_, err := h.Commit(t.Context(), repo, codehost.NewCommit{Branch: "topic", Head: head, Message: "m", Files: []codehost.FileChange{{Path: "half.go", Content: []byte("package demo\n")}}})
	if codehost.ClassOf(err) != codehost.ClassStale {
		t.Errorf("err = %v", err)
	}
	if now, err := h.BranchHead(t.Context(), repo, "topic"); err != nil || now != s.repo.HeadSHA {
		t.Errorf("the branch points to %s, %v", now, err)
	}
}

// Messages returns the messages of a pull request's commits, oldest first and bounded.
func TestMessages(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	from := s.repo.HeadSHA
	for _, m := range []string{"PAY-1 add the sum", strings.Repeat("x", 2*codehost.MaxMessage)} {
		made, err := s.Commit(t.Context(), "octo/demo", simapi.CommitSpec{Branch: "topic", From: from, Files: map[string]string{"more.go": m}, Author: "ann", Message: m})
		if err != nil {
			t.Fatal(err)
		}
		from = made.SHA
	}
	pull, err := s.OpenPull(t.Context(), "octo/demo", simapi.PullSpec{Title: "Sum", Head: "topic", Author: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	m, ok := codehost.MessengerOf(s.host(t, &codehosttest.Gate{}))
	if !ok {
		t.Fatal("the host does not have the messages")
	}
	repo := codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
	got, err := m.Messages(t.Context(), repo, pull.Number)
	if err != nil || len(got) != 2 || got[0] != "PAY-1 add the sum" || len(got[1]) != codehost.MaxMessage {
		t.Errorf("%d messages, %v", len(got), err)
	}
	if _, err := m.Messages(t.Context(), repo, 9999); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("of an absent pull request: %v", err)
	}
}
