package review

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// raisedSubject names the replies about severities in the intent log.
const raisedSubject = "raised"

// draftTime is how long the draft of a review of a later head may last, during which the host rejects
// replies.
const draftTime = 10 * time.Second

// listRaises lists the open findings that people have seen and that are more severe than in the last published
// review, including rises in abandoned reviews. The engine raises a severity only if a verifier confirms
// it.
func (w *work) listRaises(ctx context.Context, before store.Run, result engine.Result) (out []publish.Raise, err error) {
	if before.ID == "" {
		return nil, nil
	}
	shown, err := w.Store.RunFindings(ctx, w.run.Owner(), before.ID)
	if err != nil {
		return nil, err
	}
	was := map[string]domain.Severity{}
	for _, f := range shown {
		was[f.ID] = f.Severity
	}
	for _, f := range result.Open() {
		if from, ok := was[f.ID]; ok && f.Known && f.Severity > from {
			out = append(out, publish.Raise{FindingID: f.ID, From: from, To: f.Severity})
		}
	}
	return out, nil
}

// announceRaises states the new severity in the threads of findings that became more severe. It skips findings that
// are not open any more, and those without a comment, which the summary shows.
func (r *reflection) announceRaises(ctx context.Context, pub store.Publication, p publish.Payload) error {
	if len(p.Raised) == 0 {
		return nil
	}
	known, err := r.Store.KnownFindings(ctx, r.run.Owner(), r.run.PullRequest)
	if err != nil {
		return err
	}
	for _, raise := range p.Raised {
		i := slices.IndexFunc(known, func(k store.KnownFinding) bool { return k.ID == raise.FindingID })
		if i < 0 || known[i].CommentID == "" || known[i].State != domain.FindingOpen {
			continue
		}
		if err := r.replyRaise(ctx, pub, known[i].CommentID, raise, wording.In(p.Language)); err != nil {
			return err
		}
	}
	return nil
}

// replyRaise writes one reply, once. It does not recreate a thread that a person deleted, and it skips a
// reply that the host refuses, because the review is complete without it.
func (r *reflection) replyRaise(ctx context.Context, pub store.Publication, comment domain.HostID, raise publish.Raise,
	words wording.Words) error {
	id := r.run.ID + ":" + raise.FindingID
	before, err := r.Store.Writes(ctx, r.run.Owner(), raisedSubject, id)
	if err != nil || slices.ContainsFunc(before, func(w store.WriteAttempt) bool { return w.Outcome == "ok" }) {
		return err
	}
	since := r.claim.Job.NowUS
	if len(before) > 0 {
		since = before[0].StartedUS
	}
	marks, err := r.marks(pub)
	if err != nil {
		return err
	}
	mark, err := marks.Answer(publish.Place(r.run), id)
	if err != nil {
		return err
	}
	head := markdown.Span(r.run.HeadSHA[:min(len(r.run.HeadSHA), 7)])
	r.claim.Stage("reflect: reply", 2*time.Minute)
	_, err = r.claim.CommentOnce(ctx, jobs.Comment{Tenant: r.run.Owner(), Kind: raisedSubject, ID: id, Host: r.host, Repo: r.repo,
		At: codehost.Spot{Number: r.run.Number, Thread: comment}, Since: time.UnixMicro(since),
		Body: markdown.Blocks(words.Say(wording.MoreSerious, head, words.Severity(raise.To), words.Severity(raise.From)), mark),
		Ours: func(body string) bool {
			said, ok := r.Marker.FindAnswer(publish.Place(r.run), body)
			return ok && said == id
		}})
	switch {
	case codehost.ClassOf(err) == codehost.ClassSlotTaken:
		return &jobs.Snooze{For: draftTime, Why: "a review is being published, and the host takes no reply meanwhile"}
	case isRefused(err):
		r.Logger.WarnContext(ctx, "a thread could not be told that its finding is more severe", "run", r.run.ID, "finding",
			raise.FindingID, "error", err)
		return nil
	}
	return err
}

// isRefused reports whether the host will never accept or show a reply.
func isRefused(err error) bool {
	if _, ok := errors.AsType[*jobs.Fatal](err); ok {
		return true
	}
	class := codehost.ClassOf(err)
	return codehost.IsAccessLost(err) || class == codehost.ClassInvalid || class == codehost.ClassTooLarge
}
