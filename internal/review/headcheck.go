package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// A check belongs to a commit, but a verdict belongs to a pull request with its target branch and head. Hosts show only the
// newest check of a head. The newest check therefore shows the worst verdict among the open pull requests with this head,
// and names the pull request.
//
// After writing it, a worker reads the verdicts again, and writes again if they differ by now. The last of two writers is
// therefore also the last reader.

// checkUpdate is the next text of a run's check.
type checkUpdate struct {
	check    codehost.Check
	isOwn    bool // this run writes the check
	isNew    bool // it differs from the last recorded text
	hadCheck bool // the head has a check
}

// nextCheck returns the text of the run's check. own holds for the run alone. If the check is the newest of the
// head, or becomes it, say returns the worst verdict for the head, else own. On hosts with one status for
// each name, only the newest is written.
func (r *reflection) nextCheck(ctx context.Context, own codehost.Check) (checkUpdate, error) {
	place, err := r.statusPlace(ctx)
	if err != nil {
		return checkUpdate{}, err
	}
	head, err := r.Store.HeadCheck(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return checkUpdate{}, err
	}
	s := checkUpdate{check: r.nameTarget(own), isOwn: true, isNew: true, hadCheck: head.Run != ""}
	verdicts, err := r.Store.HeadVerdicts(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place, r.run.ID, r.policy.Check.Unreviewed)
	if err != nil || len(verdicts) == 0 {
		return s, err
	}
	if r.run.CheckID != "" && head.Run != "" && head.Run != r.run.ID { // another check is newer
		s.isOwn = r.ownChecks()
		return s, nil
	}
	if verdicts[0].Run != r.run.ID {
		if own, err = r.checkOfRun(ctx, verdicts[0].Run, r.run); err != nil {
			return s, err
		}
		s.check = own
	}
	if len(verdicts) > 1 || verdicts[0].Number != r.run.Number {
		s.check = prefixNumber(r.words, s.check, verdicts[0].Number)
	}
	s.isNew = head.Shown != digest(s.check)
	return s, nil
}

// checkOfRun returns the check of a run as the check of holder shows it.
func (r *reflection) checkOfRun(ctx context.Context, run string, holder store.Run) (codehost.Check, error) {
	other := *r
	var err error
	if other.run, err = r.Store.RunForWork(ctx, run); err != nil {
		return codehost.Check{}, err
	}
	var check codehost.Check
	if !other.run.State.Terminal() {
		check, err = other.open(ctx)
	} else {
		pub, p, failed := other.publication(ctx)
		if failed != nil {
			return check, failed
		}
		if p, err = other.withCurrentIssues(ctx, p); err != nil {
			return check, err
		}
		check, err = other.outcome(ctx, pub, p)
	}
	check = other.nameTarget(check)
	check.ExternalID, check.Number = holder.ID, holder.Number
	return check, err
}

// nameTarget adds the pull request and the target branch of the run to the text of a check.
func (r *reflection) nameTarget(check codehost.Check) codehost.Check {
	base := markdown.Span(r.Scan(r.run.BaseRef))
	check.Summary = markdown.Blocks(r.words.Say(wording.CheckOf, number(r.words, r.run.Number), base), check.Summary)
	return check
}

// prefixNumber puts the number of the pull request before the title of a check, for heads that several pull
// requests have.
func prefixNumber(words wording.Words, check codehost.Check, pull int) codehost.Check {
	check.Title = markdown.Join("", markdown.Const("#"), number(words, pull), markdown.Const(": "), check.Title)
	return check
}

func number(words wording.Words, n int) markdown.Text {
	return words.Reader().Line(strconv.Itoa(n), 0)
}

// digest identifies the text of a check. It ignores the summary of a run under way, because that run's own
// job updates it.
func digest(c codehost.Check) string {
	if c.Conclusion == "" {
		c.Summary = markdown.Text{}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Status, c.Conclusion, c.Title.String(), c.Summary.String(), c.DetailsURL}, "\x00")))
	return c.Conclusion + ":" + hex.EncodeToString(sum[:16])
}

// statusPlace returns the place of the head's status on the host: its branch, or "" if the host keeps the status
// by commit.
func (r *reflection) statusPlace(ctx context.Context) (string, error) {
	if !r.host.Capabilities().StatusByBranch {
		return "", nil
	}
	pull, err := r.Store.PullRequest(ctx, r.run.Owner(), r.run.PullRequest)
	return pull.HeadRef, err
}

// ownChecks reports whether each run has its own check on the host, instead of one status for all runs of a
// head.
func (r *reflection) ownChecks() bool { return r.host.Capabilities().Outcome == codehost.OutcomeCheck }

// takeHead records the id of the run's check and that it is the newest of its head. It does so at once,
// because another job of the run would otherwise take the check for an older one. The former newest check
// must be concluded on its own, because it may show another run.
func (r *reflection) takeHead(ctx context.Context, id string, check codehost.Check) error {
	place, err := r.statusPlace(ctx)
	if err != nil {
		return err
	}
	newest := store.HeadCheck{Repository: r.run.Repository, Head: r.run.HeadSHA, Place: place, Run: r.run.ID, CheckID: id,
		Shown: digest(check)}
	return r.Store.Atomically(ctx, func(ctx context.Context) error {
		if err := r.Store.SetCheckID(ctx, r.run.Owner(), r.run.ID, id); err != nil {
			return err
		}
		before, err := r.Store.TakeHeadCheck(ctx, r.run.Owner(), newest, !r.ownChecks())
		if err != nil || before.Run == "" || before.Run == r.run.ID || !r.ownChecks() {
			return err
		}
		_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindCheck, FairKey: r.run.Tenant, Subject: before.Run, Tenant: r.run.Tenant})
		return err
	})
}

// headRounds is how often one job writes the check of a head before it is given back, so that a check that
// always changes does not hold a worker.
const headRounds = 5

// lastWrite is the last write of this worker: the run of the check, and a digest.
type lastWrite struct{ run, digest string }

// updateHeadCheck updates the newest check of the run's head. last is this worker's previous write. If it was to
// the same check, the record alone does not prove what the host shows, because another worker's write may
// have come in between.
func (r *reflection) updateHeadCheck(ctx context.Context, last lastWrite) error {
	if !r.policy.Enabled || r.policy.PublishMode == domain.PublishSilent {
		return nil
	}
	place, err := r.statusPlace(ctx)
	if err != nil {
		return err
	}
	for range headRounds {
		head, err := r.Store.HeadCheck(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place)
		if err != nil {
			return errs.IgnoreAbsent(err)
		}
		verdicts, err := r.Store.HeadVerdicts(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place, head.Run,
			r.policy.Check.Unreviewed)
		if err != nil || len(verdicts) == 0 {
			return err
		}
		holder, err := r.Store.RunForWork(ctx, head.Run)
		if err != nil {
			return errs.IgnoreAbsent(err)
		}
		check, err := r.checkOfRun(ctx, verdicts[0].Run, holder)
		if err != nil {
			return err
		}
		if len(verdicts) > 1 || verdicts[0].Number != holder.Number {
			check = prefixNumber(r.words, check, verdicts[0].Number)
		}
		said := head.Shown
		if last.run == head.Run || last.run != "" && !r.ownChecks() {
			said = last.digest
		}
		if said == digest(check) {
			return nil
		}
		if err := r.updateCheck(ctx, verbHead, head.CheckID, check); err != nil {
			return err
		}
		last = lastWrite{head.Run, digest(check)}
	}
	return &jobs.Snooze{For: time.Second, Why: "the state of the head changes while its check is written"}
}
