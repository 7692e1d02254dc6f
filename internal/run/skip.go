package run

import (
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/store"
)

// Reasons to skip a review that a change of the pull request on the host may remove.
const (
	whyNotOpen = "the pull request is not open"
	whyDraft   = "the pull request is a draft"
	whyLabels  = "none of the labels that ask for a review is set"
	whyTarget  = "the target branch is not one that is reviewed"
)

// Skip returns why a policy skips the review of a pull request, or "". action is the event's action:
// opened, reopened, synchronize, ready_for_review, labeled, [ActionRetargeted].
func Skip(p domain.Policy, row store.PullRequest, pr codehost.PullRequest, action string) string {
	tr := p.Triggers
	switch {
	case !p.Enabled:
		return "reviews are off for this repository"
	case row.Paused:
		return "reviews of this pull request are paused"
	case !pr.Open, row.State != "open":
		return whyNotOpen
	case row.Draft && !tr.Draft:
		return whyDraft
	case action == "opened" && !tr.Opened, action == "reopened" && !tr.Opened:
		return "opening a pull request does not start a review here"
	case action == "synchronize" && !tr.Push:
		return "a push does not start a review here"
	case action == "ready_for_review" && !tr.Ready:
		return "becoming ready does not start a review here"
	case action == ActionRetargeted && !tr.Opened && !tr.Push:
		return "another target branch does not start a review here"
	case pr.AuthorIsBot && !tr.IncludeBots:
		return "the author is a bot"
	case slices.ContainsFunc(tr.ExcludedAuthors, func(a string) bool { return strings.EqualFold(a, pr.Author) }):
		return "the author is excluded"
	case len(tr.Labels) > 0 && !HasLabel(pr.Labels, tr.Labels):
		return whyLabels
	case len(tr.TargetBranches) > 0 && !matchesAny(tr.TargetBranches, pr.BaseRef):
		return whyTarget
	}
	return ""
}

// Missed returns the action of an event that the service missed since the last run of a pull request's
// head, or "". It compares the end of that run with the host's current data: the pull request was reopened,
// became reachable or ready, got a label that asks for a review, or got another target branch after it was
// skipped because of its target. settled is true if only the host's data, and not the policy, can be the
// reason.
func Missed(last store.Run, p domain.Policy, pr codehost.PullRequest) (action string, settled bool) {
	switch {
	case last.State == domain.RunCancelled && last.End == domain.EndClosed && last.Reason != becameDraft,
		last.State == domain.RunCancelled && last.End == domain.EndGone, // no publication had begun
		last.State == domain.RunSkipped && last.Reason == whyNotOpen:
		return "reopened", true
	case last.State == domain.RunCancelled && last.End == domain.EndClosed, last.State == domain.RunSkipped && last.Reason == whyDraft:
		if !pr.Draft {
			return "ready_for_review", true
		}
	case last.State == domain.RunSkipped && last.Reason == whyLabels:
		if HasLabel(pr.Labels, p.Triggers.Labels) {
			return "labeled", false
		}
	case last.State == domain.RunSkipped && last.Reason == whyTarget:
		if matchesAny(p.Triggers.TargetBranches, pr.BaseRef) {
			return ActionRetargeted, false
		}
	}
	return "", false
}

// ActionRetargeted is the action of a pull request whose target branch differs from that of its newest run,
// whichever event or list showed it.
const ActionRetargeted = "retargeted"

// Outside returns the policy for a pull request from outside: the depth of a review that an event starts,
// or the reason why no review starts, otherwise "".
func Outside(p domain.Policy) (domain.Depth, string) {
	switch p.OutsideContributors {
	case domain.OutsideReduced:
		return domain.DepthReduced, ""
	case domain.OutsideOnRequest:
		return domain.DepthReduced, "it comes from outside, and such pull requests are reviewed here when a person with write access " +
			"to the repository comments `/assay review`"
	}
	return domain.DepthFull, ""
}

func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, name) })
}

// HasLabel reports whether one of the labels is wanted. Like GitHub it ignores letter case.
func HasLabel(labels, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, w) })
	})
}

// PullRow returns the row of a pull request from the host's data. It truncates the update time to seconds,
// because GitLab sends milliseconds in answers but seconds in events. Otherwise an event in the same second
// would look older.
func PullRow(repository string, pr codehost.PullRequest) store.PullRequest {
	state := "closed"
	switch {
	case pr.Open:
		state = "open"
	case pr.Merged:
		state = "merged"
	}
	return store.PullRequest{Repository: repository, Number: pr.Number, Title: pr.Title, Author: pr.Author, AuthorID: pr.AuthorID,
		HeadSHA: pr.HeadSHA, HeadRef: pr.HeadRef, BaseRef: pr.BaseRef,
		State: state, Draft: pr.Draft, HostUpdatedUS: pr.UpdatedAt.Truncate(time.Second).UnixMicro()}
}
