package run

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/store"
)

// Skip says why a policy wants no review of a pull request, "" if it wants one.
// action is the event's: opened, reopened, synchronize, ready_for_review,
// labeled.
func Skip(p domain.Policy, row store.PullRequest, pr codehost.PullRequest, action string) string {
	tr := p.Triggers
	switch {
	case !p.Enabled:
		return "reviews are off for this repository"
	case row.Paused:
		return "reviews of this pull request are paused"
	case !pr.Open, row.State != "open":
		return "the pull request is not open"
	case row.Draft && !tr.Draft:
		return "the pull request is a draft"
	case action == "opened" && !tr.Opened, action == "reopened" && !tr.Opened:
		return "opening a pull request does not start a review here"
	case action == "synchronize" && !tr.Push:
		return "a push does not start a review here"
	case action == "ready_for_review" && !tr.Ready:
		return "becoming ready does not start a review here"
	case pr.AuthorIsBot && !tr.IncludeBots:
		return "the author is a bot"
	case slices.ContainsFunc(tr.ExcludedAuthors, func(a string) bool { return strings.EqualFold(a, pr.Author) }):
		return "the author is excluded"
	case len(tr.Labels) > 0 && !HasLabel(pr.Labels, tr.Labels):
		return "none of the labels that ask for a review is set"
	case len(tr.TargetBranches) > 0 && !matchesAny(tr.TargetBranches, pr.BaseRef):
		return "the target branch is not one that is reviewed"
	}
	return ""
}

// Outside says what the policy gives to a pull request from outside: how deep a
// review that an event starts looks, and why none starts, "" if one does.
func Outside(p domain.Policy) (domain.Depth, string) {
	switch p.OutsideContributors {
	case domain.OutsideReduced:
		return domain.DepthReduced, ""
	case domain.OutsideOnRequest:
		return domain.DepthReduced, "it comes from outside, and such pull requests are reviewed here when somebody who may write to the repository comments `/assay review`"
	}
	return domain.DepthFull, ""
}

func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, name) })
}

// HasLabel reports whether one of the labels is wanted. It compares as GitHub
// does, without regard to letter case.
func HasLabel(labels, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, w) })
	})
}

// PullRow is what is kept of a pull request that the host has shown.
func PullRow(repository string, pr codehost.PullRequest) store.PullRequest {
	state := "closed"
	switch {
	case pr.Open:
		state = "open"
	case pr.Merged:
		state = "merged"
	}
	return store.PullRequest{Repository: repository, Number: pr.Number, Title: pr.Title, Author: pr.Author, AuthorID: pr.AuthorID, HeadSHA: pr.HeadSHA, BaseRef: pr.BaseRef,
		State: state, Draft: pr.Draft, HostUpdatedUS: pr.UpdatedAt.UnixMicro()}
}
