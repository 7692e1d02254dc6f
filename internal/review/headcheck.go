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

// A check belongs to a commit, and a verdict to a pull request, its target branch and its
// head. So the newest check of a head, which is the one that a host shows, says the worst of
// what holds for the pull requests that are open with that head, and which one it is of.
//
// A worker that writes it reads afterwards what holds, and writes again where that is something
// else by now: of two workers the one that writes last has also read last.

// saying is what the check of a run is to say.
type saying struct {
	check  codehost.Check
	mine   bool // the check is the run's to write
	news   bool // it is not what the check was told to say last
	before bool // the head has a check
}

// say returns what the check of the run says, where own is what holds for the run alone: what
// holds for the head if it is the newest check of the head, or becomes it; else own. Where a
// host keeps one status by name, only the newest is written.
func (r *reflection) say(ctx context.Context, own codehost.Check) (saying, error) {
	place, err := r.place(ctx)
	if err != nil {
		return saying{}, err
	}
	head, err := r.Store.HeadCheck(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return saying{}, err
	}
	s := saying{check: r.named(own), mine: true, news: true, before: head.Run != ""}
	verdicts, err := r.Store.HeadVerdicts(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place, r.run.ID)
	if err != nil || len(verdicts) == 0 {
		return s, err
	}
	if r.run.CheckID != "" && head.Run != "" && head.Run != r.run.ID { // another one is newer
		s.mine = r.ownChecks()
		return s, nil
	}
	if verdicts[0].Run != r.run.ID {
		if own, err = r.ofRun(ctx, verdicts[0].Run, r.run); err != nil {
			return s, err
		}
		s.check = own
	}
	if len(verdicts) > 1 || verdicts[0].Number != r.run.Number {
		s.check = titled(r.words, s.check, verdicts[0].Number)
	}
	s.news = head.Said != digest(s.check)
	return s, nil
}

// ofRun is the check of a run, on behalf of the run that holder is: its check says it.
func (r *reflection) ofRun(ctx context.Context, run string, holder store.Run) (codehost.Check, error) {
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
		if p, err = other.saidNow(ctx, p); err != nil {
			return check, err
		}
		check, err = other.outcome(ctx, pub, p)
	}
	check = other.named(check)
	check.ExternalID, check.Number = holder.ID, holder.Number
	return check, err
}

// named is a check whose text names the pull request and the target branch of the run.
func (r *reflection) named(check codehost.Check) codehost.Check {
	base := markdown.Span(r.Scan(r.run.BaseRef))
	check.Summary = markdown.Blocks(r.words.Say(wording.CheckOf, number(r.words, r.run.Number), base), check.Summary)
	return check
}

// titled is a check whose title begins with the pull request that it is of: where several
// have the head.
func titled(words wording.Words, check codehost.Check, pull int) codehost.Check {
	check.Title = markdown.Join("", markdown.Const("#"), number(words, pull), markdown.Const(": "), check.Title)
	return check
}

func number(words wording.Words, n int) markdown.Text {
	return words.Reader().Line(strconv.Itoa(n), 0)
}

// digest names what a check says. How far a run is that is under way is its own job to say.
func digest(c codehost.Check) string {
	if c.Conclusion == "" {
		c.Summary = markdown.Text{}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Status, c.Conclusion, c.Title.String(), c.Summary.String(), c.DetailsURL}, "\x00")))
	return c.Conclusion + ":" + hex.EncodeToString(sum[:16])
}

// place is where the host keeps the status of the run's head: by branch, or "" where it
// has one for the commit.
func (r *reflection) place(ctx context.Context) (string, error) {
	if !r.host.Capabilities().StatusByBranch {
		return "", nil
	}
	pull, err := r.Store.PullRequest(ctx, r.run.Owner(), r.run.PullRequest)
	return pull.HeadRef, err
}

// ownChecks reports whether each run has a check of its own on the host, and not all runs of
// a head one status.
func (r *reflection) ownChecks() bool { return r.host.Capabilities().Outcome == codehost.OutcomeCheck }

// takeHead records the id of the run's check and that it is the newest of its head, at once, because another
// job of the run would take it for an older one in between. The one before has to be concluded by itself: it
// may speak of another run.
func (r *reflection) takeHead(ctx context.Context, id string, check codehost.Check) error {
	place, err := r.place(ctx)
	if err != nil {
		return err
	}
	newest := store.HeadCheck{Repository: r.run.Repository, Head: r.run.HeadSHA, Place: place, Run: r.run.ID, CheckID: id, Said: digest(check)}
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

// headRounds is how often the check of a head is written in one job before the job is
// given back, so that one that always changes holds no worker.
const headRounds = 5

// written is what a worker has written itself: whose check, and a digest.
type written struct{ run, digest string }

// sayHead has the newest check of the run's head say what holds for it now. last is what this
// worker wrote before; where it wrote to that check, nothing else tells what the host shows,
// as the write of another worker may have come in between.
func (r *reflection) sayHead(ctx context.Context, last written) error {
	if !r.policy.Enabled || r.policy.PublishMode == domain.PublishSilent {
		return nil
	}
	place, err := r.place(ctx)
	if err != nil {
		return err
	}
	for range headRounds {
		head, err := r.Store.HeadCheck(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place)
		if err != nil {
			return errs.IgnoreAbsent(err)
		}
		verdicts, err := r.Store.HeadVerdicts(ctx, r.run.Owner(), r.run.Repository, r.run.HeadSHA, place, head.Run)
		if err != nil || len(verdicts) == 0 {
			return err
		}
		holder, err := r.Store.RunForWork(ctx, head.Run)
		if err != nil {
			return errs.IgnoreAbsent(err)
		}
		check, err := r.ofRun(ctx, verdicts[0].Run, holder)
		if err != nil {
			return err
		}
		if len(verdicts) > 1 || verdicts[0].Number != holder.Number {
			check = titled(r.words, check, verdicts[0].Number)
		}
		said := head.Said
		if last.run == head.Run || last.run != "" && !r.ownChecks() {
			said = last.digest
		}
		if said == digest(check) {
			return nil
		}
		if err := r.updateCheck(ctx, verbHead, head.CheckID, check); err != nil {
			return err
		}
		last = written{head.Run, digest(check)}
	}
	return &jobs.Snooze{For: time.Second, Why: "the state of the head changes while its check is written"}
}
