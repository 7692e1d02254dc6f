package reviewtest

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// Repository returns the repository of a fixture's events. It is private, so that no pull request comes
// from outside.
func Repository() codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: "77", Owner: "octo", Name: "repo", DefaultBranch: "main", Private: true}
}

// Event returns an event of pull request 1 with a head, a second after the previous event. The host then
// shows the pull request in this state.
func (f *Fixture) Event(action, head string, change ...func(*codehost.PullRequest)) codehost.Event {
	f.clock = f.clock.Add(time.Second)
	pr := codehost.PullRequest{Number: 1, Title: "Change", Author: "mona", AuthorID: "5", Open: action != "closed",
		HeadSHA: storetest.SHA(head), BaseSHA: storetest.SHA("base"),
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

// Comment returns the event of a new comment on pull request 1.
func Comment(id int64, author, body string) codehost.Event {
	repo := Repository()
	return codehost.Event{Kind: codehost.KindComment, Name: "issue_comment", Action: "created", Repository: &repo,
		Comment: &codehost.EventComment{ID: domain.NumberID(id), Author: author, Body: body, OnPullRequest: true, Number: 1}}
}

// Added returns an event with n repositories that the installation now reaches; the first is [Repository].
func Added(n int) codehost.Event {
	ev := codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{Repository()}}
	for i := 1; i < n; i++ {
		ev.Repositories = append(ev.Repositories, codehost.RepoInfo{ExternalID: domain.NumberID(int64(77 + i)), Owner: "octo",
			Name: fmt.Sprint("repo", i)})
	}
	return ev
}
