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

// maxDescription cuts the text of a status, in characters
// (app/models/generic_commit_status.rb of gitlab-org/gitlab: 255).
const maxDescription = 255

// maxStatuses bounds the statuses of a commit that are looked through.
const maxStatuses = 2000

// states are the host's words for those of a check
// (docs.gitlab.com/api/commits, "Set the commit pipeline status"). A status has no neutral, so what is no
// verdict on the change is a success; the text says what it is.
var states = map[string]sdk.BuildStateValue{
	"": sdk.Running, "success": sdk.Success, "neutral": sdk.Success, "skipped": sdk.Success,
	"failure": sdk.Failed, "cancelled": sdk.Canceled, "action_required": sdk.Pending,
}

// checkCheck refuses a check that the host would not understand.
func checkCheck(op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	if _, known := states[check.Conclusion]; !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	return wire.CheckStatus(op, check)
}

// CreateCheck implements [codehost.Publisher] as a commit status. The host shows the
// newest one of a name, so that a second call replaces the first: the id is the name.
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (string, error) {
	return check.Name, h.say(ctx, "create check", repo, check)
}

// UpdateCheck implements [codehost.Publisher]: it says the status anew.
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if id != check.Name {
		return codehost.Refused(op, "the id of a status is its name")
	}
	return h.say(ctx, op, repo, check)
}

// say sets the status. One that has not ended the host moves forward only: to set the
// state that it has, or pending after running, is refused ("Cannot transition status via
// :run from :running", app/services/ci/create_commit_status_service.rb of gitlab-org/gitlab). After
// its end a new one begins. So where it is refused, and says something else than it should, it is ended first.
func (h *Host) say(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
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
		if err = h.sayAt(ctx, op, b, check, *opts); !codehost.Gone(err) {
			return err
		}
	}
	return err
}

// branch is where a status is set: a merge request shows those of its source branch, in
// the project that has it (app/finders/ci/pipelines_for_merge_request_finder.rb of gitlab-org/gitlab). Without a
// ref the host takes the first branch of the project that has the commit, and refuses where none has it,
// as for a fork (app/services/ci/create_commit_status_service.rb, ref).
type branch struct {
	project any // number or path
	ref     string
}

// branches are where the status of a merge request may be set, the best one first: the fork that
// it comes from, where the account may, and the project itself.
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

// headRef is the ref that a project has of the head of a merge request, also of one from a fork, and that of its
// pipelines (app/models/merge_request.rb of gitlab-org/gitlab, ref_path). The branch of a fork is none of the project's: a
// status that names it would stand on a branch of that name there, such as main. A status may name any ref
// (app/services/ci/create_commit_status_service.rb there).
func headRef(number int64) string { return fmt.Sprintf("refs/merge-requests/%d/head", number) }

// sayAt is [Host.say] on one branch.
func (h *Host) sayAt(ctx context.Context, op string, at branch, check codehost.Check, given sdk.SetCommitStatusOptions) error {
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

// statuses lists those of a name on a branch, as the host has them: the newest of each name, and account.
func (h *Host) statuses(ctx context.Context, op string, at branch, check codehost.Check) ([]*sdk.CommitStatus, error) {
	self, err := h.self(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := all(ctx, h, op, maxStatuses, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.CommitStatus, *sdk.Response, error) {
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

// FindChecks implements [codehost.Publisher]: there is one status of a name, or none.
// Which run it speaks of the host does not keep.
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
		if err != nil && !(codehost.Gone(err) && len(branches) > 1) {
			return nil, err
		}
		if len(list) > 0 {
			return []string{check.Name}, nil
		}
	}
	return nil, nil
}
