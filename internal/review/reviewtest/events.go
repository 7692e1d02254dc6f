package reviewtest

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// Repository is the repository that the events of a fixture are about. It is
// private, so that nobody's pull request is one from outside.
func Repository() codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: "77", Owner: "octo", Name: "repo", DefaultBranch: "main", Private: true}
}

// Event is an event of pull request 1 with a head, a second after the one before
// it; the host has the pull request like that from then on.
func (f *Fixture) Event(action, head string, change ...func(*codehost.PullRequest)) codehost.Event {
	f.clock = f.clock.Add(time.Second)
	pr := codehost.PullRequest{Number: 1, Title: "Change", Author: "mona", AuthorID: "5", Open: action != "closed", HeadSHA: storetest.SHA(head), BaseSHA: storetest.SHA("base"),
		BaseRef: "main", HeadRef: "topic", UpdatedAt: f.clock}
	for _, c := range change {
		c(&pr)
	}
	f.Host.Set(pr)
	repo := Repository()
	return codehost.Event{Kind: codehost.KindPullRequest, Name: "pull_request", Action: action, Repository: &repo, PullRequest: &pr}
}

// Drafted makes the pull request of an event a draft.
func Drafted(pr *codehost.PullRequest) { pr.Draft = true }

// Fork makes the pull request of an event one from a fork.
func Fork(pr *codehost.PullRequest) { pr.FromFork = true }

// Labels sets the labels of the pull request of an event.
func Labels(l ...string) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) { pr.Labels = l }
}

// Comment is the event of a new comment on pull request 1.
func Comment(id int64, author, body string) codehost.Event {
	repo := Repository()
	return codehost.Event{Kind: codehost.KindComment, Name: "issue_comment", Action: "created", Repository: &repo,
		Comment: &codehost.EventComment{ID: domain.NumberID(id), Author: author, Body: body, OnPullRequest: true, Number: 1}}
}

// Added is an event about n repositories that the installation reaches now; the
// first is [Repository].
func Added(n int) codehost.Event {
	ev := codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{Repository()}}
	for i := 1; i < n; i++ {
		ev.Repositories = append(ev.Repositories, codehost.RepoInfo{ExternalID: domain.NumberID(int64(77 + i)), Owner: "octo", Name: fmt.Sprint("repo", i)})
	}
	return ev
}
