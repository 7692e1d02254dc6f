package fixrun

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// verbDelete is the verb of the deletion of a branch in the intent log.
const verbDelete = "delete_branch"

// Clean is the job that deletes the branch of a fix run that ended before its commit. The branch stays if it does not point to the head
// that it was made at, or if a pull request is open from it, because then a person uses it.
func (s *Service) Clean(ctx context.Context, c *jobs.Claim) error {
	row, err := s.Store.FixRunForWork(ctx, c.Job.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	sent, age, err := s.Store.PriorWrites(ctx, row.Owner(), subjectFix, row.ID, verbBranch)
	if err != nil {
		return err
	}
	if sent == 0 { // the host refused the branch
		return s.Store.ForgetFixBranch(ctx, row.Owner(), row.ID)
	}
	deleted, _, err := s.Store.PriorWrites(ctx, row.Owner(), subjectFix, row.ID, verbDelete)
	if err != nil {
		return err
	}
	c.Stage("fix: clean", stepTime)
	repository, err := s.Store.Repository(ctx, row.Owner(), row.Repository)
	if err != nil || repository.State != active {
		return errs.IgnoreAbsent(err)
	}
	gone, err := s.deleteEmpty(ctx, c, repository, row)
	switch class := codehost.ClassOf(err); {
	case gone && deleted == 0 && age < codehost.ListLag:
		return &jobs.Snooze{For: codehost.ListLag - age, Why: "a branch may appear that the host has not shown yet"}
	case gone:
		return s.Store.ForgetFixBranch(ctx, row.Owner(), row.ID)
	case class == codehost.ClassForbidden, codehost.IsAccessLost(err):
		s.Logger.WarnContext(ctx, "an empty branch of a fix run stays, because the host refuses its deletion", "fixRun", row.ID,
			"branch", row.Branch, "class", class)
		return nil
	}
	return jobs.Waiting(err)
}

// deleteEmpty deletes the branch of a fix run if it is as it was made. It returns true if the host does not show the branch.
func (s *Service) deleteEmpty(ctx context.Context, c *jobs.Claim, repository store.Repository, row store.FixRun) (gone bool, err error) {
	host, repo, err := s.Hosts.Repository(ctx, repository)
	if err != nil {
		return false, err
	}
	committer, ok := codehost.CommitterOf(host)
	if !ok {
		return false, nil
	}
	head, err := committer.BranchHead(ctx, repo, row.Branch)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return true, nil
	}
	if err != nil || head != row.HeadSHA {
		return false, err
	}
	open, err := committer.PullsFrom(ctx, repo, row.Branch)
	if err != nil || len(open) > 0 {
		return false, err
	}
	w := store.WriteAttempt{SubjectKind: subjectFix, SubjectID: row.ID, Verb: verbDelete, Target: row.Branch}
	err = c.Write(ctx, row.Owner(), w, func(ctx context.Context) error { return committer.DeleteBranch(ctx, repo, row.Branch, row.HeadSHA) })
	switch codehost.ClassOf(err) {
	case "":
		if err != nil {
			return false, err
		}
		return false, s.Store.ForgetFixBranch(ctx, row.Owner(), row.ID)
	case codehost.ClassNotFound:
		return false, s.Store.ForgetFixBranch(ctx, row.Owner(), row.ID)
	case codehost.ClassStale: // a person pushed to it meanwhile
		return false, nil
	}
	return false, err
}
