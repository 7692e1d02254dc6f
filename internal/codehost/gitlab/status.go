package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDescription is the most characters of a status's text (app/models/generic_commit_status.rb of
// gitlab-org/gitlab: 255); longer texts are cut.
const maxDescription = 255

// maxStatuses is the most statuses of a commit that are searched.
const maxStatuses = 2000

// states maps conclusions to GitLab's states (docs.gitlab.com/api/commits, "Set the commit pipeline
// status"). GitLab has no neutral state, so a check without a verdict is a success, and its text explains
// it.
var states = map[string]sdk.BuildStateValue{
	"": sdk.Running, "success": sdk.Success, "neutral": sdk.Success, "skipped": sdk.Success,
	"failure": sdk.Failed, "cancelled": sdk.Canceled, "action_required": sdk.Pending,
}

// checkCheck returns an error for a check that GitLab would refuse.
func checkCheck(op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	if _, known := states[check.Conclusion]; !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	return wire.CheckStatus(op, check)
}

// CreateCheck implements [codehost.Publisher] with a commit status. GitLab shows the newest status of a
// name, so a second call replaces the first one: the id is the name.
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (string, error) {
	return check.Name, h.setStatus(ctx, "create check", repo, check)
}

// UpdateCheck implements [codehost.Publisher]. It sets the status again.
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if id != check.Name {
		return codehost.Refused(op, "the id of a status is its name")
	}
	return h.setStatus(ctx, op, repo, check)
}

// setStatus sets the status. GitLab moves an unfinished status forward only, and refuses the state that it has,
// or pending after running ("Cannot transition status via :run from :running",
// app/services/ci/create_commit_status_service.rb of gitlab-org/gitlab). A finished status can be followed
// by a new one. So if GitLab refuses and the present status differs, say ends it and sets the new one.
func (h *Host) setStatus(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkCheck(op, repo, check); err != nil {
		return err
	}
	text := wire.StatusText(check, maxDescription)
	opts := &sdk.SetCommitStatusOptions{State: states[check.Conclusion], Name: &check.Name, Description: &text}
	if check.DetailsURL != "" {
		opts.TargetURL = &check.DetailsURL
	}
	branches, err := h.branches(ctx, op, repo, check.Number)
	if err != nil {
		return err
	}
	for _, b := range branches {
		if err = h.setStatusOn(ctx, op, b, check, *opts); !codehost.IsAccessLost(err) {
			return err
		}
	}
	return err
}

// branch is the place of a status. A merge request shows the statuses of its source branch, in the source
// project (app/finders/ci/pipelines_for_merge_request_finder.rb of gitlab-org/gitlab). Without a ref,
// GitLab takes the project's first branch with the commit, and refuses if there is no such branch, as for a
// fork (app/services/ci/create_commit_status_service.rb, ref).
type branch struct {
	project any // number or path
	ref     string
}

// branches returns the possible places of a merge request's status, best first: the source fork, if the
// account may write there, then the project itself.
func (h *Host) branches(ctx context.Context, op string, repo codehost.Repo, number int) ([]branch, error) {
	if number == 0 {
		return []branch{{project: repo.FullName()}}, nil
	}
	m, err := h.anyPull(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	if m.SourceProjectID > 0 && m.SourceProjectID == m.TargetProjectID {
		return []branch{{repo.FullName(), m.SourceBranch}}, nil
	}
	own := branch{repo.FullName(), headRef(m.IID)}
	if m.SourceProjectID <= 0 { // the fork was deleted
		return []branch{own}, nil
	}
	return []branch{{m.SourceProjectID, m.SourceBranch}, own}, nil
}

// headRef returns the project's ref for the head of a merge request, also of one from a fork, and for its
// pipelines (app/models/merge_request.rb of gitlab-org/gitlab, ref_path). The fork's branch name must not
// be used in the project, because the status would appear on the project's branch of that name, such as
// main. A status may name any ref (app/services/ci/create_commit_status_service.rb there).
func headRef(number int64) string { return fmt.Sprintf("refs/merge-requests/%d/head", number) }

// setStatusOn is [Host.setStatus] on one branch.
func (h *Host) setStatusOn(ctx context.Context, op string, at branch, check codehost.Check, given sdk.SetCommitStatusOptions) error {
	opts, text := &given, *given.Description
	if at.ref != "" {
		opts.Ref = &at.ref
	}
	set := func(opts *sdk.SetCommitStatusOptions) error {
		return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
			_, _, err := c.Commits.SetCommitStatus(at.project, check.HeadSHA, opts, with)
			return err
		})
	}
	err := set(opts)
	if e, ok := err.(*codehost.Error); !ok || e.Class != codehost.ClassInvalid || !strings.Contains(e.Message, "Cannot transition status") {
		return err
	}
	list, lookErr := h.statuses(ctx, op, at, check)
	if lookErr != nil {
		return lookErr
	}
	if len(list) > 0 && list[0].Status == string(opts.State) && list[0].Description == text {
		return nil
	}
	ended := *opts
	ended.State = sdk.Canceled
	if err := set(&ended); err != nil {
		return err
	}
	return set(opts)
}

// statuses lists our account's newest statuses of a name on a branch.
func (h *Host) statuses(ctx context.Context, op string, at branch, check codehost.Check) ([]*sdk.CommitStatus, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := listAll(ctx, h, op, maxStatuses, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.CommitStatus, *sdk.Response, error) {
		opts := &sdk.GetCommitStatusesOptions{ListOptions: page, Name: &check.Name}
		if at.ref != "" {
			opts.Ref = &at.ref
		}
		return c.Commits.GetCommitStatuses(at.project, check.HeadSHA, opts, with)
	}, func(s *sdk.CommitStatus) (*sdk.CommitStatus, bool) {
		return s, s != nil && s.Name == check.Name && s.Author.ID == self.id
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *sdk.CommitStatus) int { return cmp.Compare(b.ID, a.ID) })
	return list, nil
}

// FindChecks implements [codehost.Publisher]. It finds at most one status of a name, because GitLab does
// not store the run's id.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := checkCheck(op, repo, check); err != nil {
		return nil, err
	}
	branches, err := h.branches(ctx, op, repo, check.Number)
	if err != nil {
		return nil, err
	}
	for _, b := range branches {
		list, err := h.statuses(ctx, op, b, check)
		if err != nil && !(codehost.IsAccessLost(err) && len(branches) > 1) {
			return nil, err
		}
		if len(list) > 0 {
			return []string{check.Name}, nil
		}
	}
	return nil, nil
}
