package review

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// roomAgain is the pause before the write budget is asked again for room.
const roomAgain = 15 * time.Second

// ShowOpen shows on the host that a run is under way. It is a separate job: the run never waits for it and
// does not fail with it. If the write budget has no room to spare, it waits, and gives up once the run has
// ended.
func (s *Service) ShowOpen(ctx context.Context, c *jobs.Claim) error {
	r, err := s.reflection(ctx, c, s.repository)
	if r == nil {
		return err
	}
	return r.done(ctx, r.showAndRepair(ctx, r.showOpen))
}

func (r *reflection) showOpen(ctx context.Context) error {
	if r.run.State.Terminal() {
		return r.closeAgain(ctx)
	}
	pub, err := r.Store.PublicationOf(ctx, r.run.Owner(), r.run.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return err
	}
	if !r.hasCheck(pub) {
		return nil
	}
	made, _, err := r.createdChecks(ctx)
	if err != nil {
		return err
	}
	unknown := made > 0 && r.run.CheckID == ""
	if unknown && r.run.State != domain.RunAwaitingApproval { // a later state of the run finds out whether the check run exists
		return nil
	}
	own, err := r.open(ctx)
	if err != nil {
		return err
	}
	s, err := r.nextCheck(ctx, own)
	if err != nil {
		return err
	}
	room, err := r.host.Spare(ctx, r.repo)
	last := lastWrite{r.run.ID, digest(s.check)}
	switch {
	case err != nil:
		return err
	case !room && !s.hadCheck: // an earlier check would be out of date, so it is updated without room
		return &jobs.Snooze{For: roomAgain, Why: "little is left of the installation's write budget, which is for reviews and ends of runs"}
	case made == 0:
		err = r.makeCheck(ctx, s.check, made)
	case unknown: // the run may wait for days, so its end is too late
		err = r.showCheck(ctx, verbOpen, s.check)
	case s.isOwn && (s.isNew || r.repeatsWrites()):
		err = r.updateCheck(ctx, verbOpen, r.run.CheckID, s.check)
	default:
		last = lastWrite{}
	}
	if err != nil {
		return err
	}
	if err := r.updateHeadCheck(ctx, last); err != nil {
		return err
	}
	if r.run, err = r.Store.RunForWork(ctx, r.run.ID); err != nil || !r.run.State.Terminal() {
		return err
	}
	return r.closeAgain(ctx)
}

// closeAgain concludes the check run of a run that has ended. An update that left it open may have
// overtaken its conclusion, it may no longer be the newest of its head, or something else may hold for the
// head now.
func (r *reflection) closeAgain(ctx context.Context) error {
	if made, _, err := r.createdChecks(ctx); err != nil || made == 0 {
		return err
	}
	opened, _, err := r.Store.PriorWrites(ctx, r.run.Owner(), reflectSubject, r.run.ID, verbOpen)
	if err != nil {
		return err
	}
	pub, p, err := r.publication(ctx)
	if err != nil {
		return err
	}
	return r.conclude(ctx, pub, p, opened > 0 || r.repeatsWrites())
}

// done ends a job that shows a state. It is not a failure if the host no longer gives access to the pull
// request.
func (r *reflection) done(ctx context.Context, err error) error {
	if codehost.IsAccessLost(err) || codehost.ClassOf(err) == codehost.ClassMoved && r.isDisconnected(ctx) {
		r.Logger.WarnContext(ctx, "the state of a run could not be shown on the host", "run", r.run.ID, "state", r.run.State, "error", err)
		return nil
	}
	return jobs.Waiting(err)
}

// isDisconnected reports whether the repository is disconnected, so that its new name on the host cannot be found
// out.
func (r *reflection) isDisconnected(ctx context.Context) bool {
	_, _, err := r.repository(ctx, r.run)
	return errors.Is(err, errDisconnected)
}

// hostOpener opens the host of a run's repository, or returns [errDisconnected].
type hostOpener func(context.Context, store.Run) (codehost.Host, codehost.Repo, error)

// reflection opens the host of a job's run. It returns nil if the repository is disconnected, because there
// is nothing to do then.
func (s *Service) reflection(ctx context.Context, c *jobs.Claim, open hostOpener) (*reflection, error) {
	run, err := s.Store.RunForWork(ctx, c.Job.Subject)
	if err != nil {
		return nil, err
	}
	return s.reflectionOf(ctx, c, run, open)
}

// reflectionOf is [Service.reflection] for a job with another subject.
func (s *Service) reflectionOf(ctx context.Context, c *jobs.Claim, run store.Run, open hostOpener) (*reflection, error) {
	host, repo, err := open(ctx, run)
	if errors.Is(err, errDisconnected) {
		return nil, nil
	}
	if err != nil {
		return nil, jobs.Waiting(err)
	}
	policy, err := s.Policy(ctx, run.Owner(), run.Repository)
	if err != nil {
		return nil, err
	}
	return &reflection{Service: s, claim: c, run: run, host: host, repo: repo, policy: policy, words: wording.In(policy.Language)}, nil
}
