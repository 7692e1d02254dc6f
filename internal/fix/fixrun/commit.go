package fixrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// The verbs of writes in the intent log, and how often each is sent before the job gives up.
const (
	verbBranch = "create_branch"
	verbCommit = "commit"
	verbPull   = "open_pull"
	maxSent    = 2
)

// trailer begins the line of our commit messages that names the fix run.
const trailer = "Assay-Fix-Run: "

// write makes the commit, and for a branch of ours the pull request. It returns the address that people open. If the host does not
// let us, it stores why the edits are suggested instead.
func (w *work) write(ctx context.Context) (url string, err error) {
	committer, ok := codehost.CommitterOf(w.host)
	if !ok {
		return "", w.suggestInstead(ctx, domain.FixInsteadHost)
	}
	if w.run.CommitSHA == "" {
		why, err := w.barred(ctx)
		if err == nil && why != "" {
			return "", w.suggestInstead(ctx, why)
		}
		if err != nil {
			return "", err
		}
	}
	b := branchWriter{work: w, committer: committer, branch: w.pull.HeadRef}
	if w.run.Delivery == domain.FixBranch {
		b.branch = "assay/fix-" + strings.TrimPrefix(w.run.ID, "fix_")
	}
	url, err = b.do(ctx)
	if codehost.ClassOf(err) == codehost.ClassForbidden && w.run.CommitSHA == "" {
		return "", w.suggestInstead(ctx, domain.FixInsteadPermission)
	}
	return url, err
}

// suggestInstead stores why the edits are suggested.
func (w *work) suggestInstead(ctx context.Context, why domain.FixInstead) error {
	return w.Store.SetFixInstead(ctx, w.tenant, w.run.ID, why)
}

// barred returns why nothing must be written to a branch, as far as that is known before the write; "" if nothing forbids it.
func (w *work) barred(ctx context.Context) (domain.FixInstead, error) {
	if w.pull.FromFork || w.pull.Branchless || w.pull.HeadRef == "" {
		return domain.FixInsteadFork, nil
	}
	for _, f := range w.result.Files {
		for _, folder := range []string{".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/"} {
			if strings.HasPrefix(strings.ToLower(f.Path), folder) {
				return domain.FixInsteadWorkflow, nil
			}
		}
	}
	info, err := w.host.Resolve(ctx, w.repo)
	if err != nil {
		return "", err
	}
	if w.run.Delivery == domain.FixCommit && (w.pull.HeadRef == info.DefaultBranch || w.pull.HeadRef == w.pull.BaseRef) {
		return domain.FixInsteadProtected, nil
	}
	return "", nil
}

// branchWriter writes the edits to one branch.
type branchWriter struct {
	*work
	committer codehost.Committer
	branch    string
}

func (b branchWriter) do(ctx context.Context) (url string, err error) {
	named := func() error { return b.Store.SetFixBranch(ctx, b.tenant, b.run.ID, b.branch) }
	if b.run.Delivery == domain.FixBranch {
		if err := named(); err != nil {
			return "", err
		}
		if err := b.createBranch(ctx); err != nil {
			return "", err
		}
	}
	if b.run.CommitSHA == "" {
		sha, err := b.commit(ctx)
		if err != nil {
			return "", err
		}
		if err := named(); err != nil { // the author's branch has nothing of ours before
			return "", err
		}
		if err := b.Store.SetFixCommit(ctx, b.tenant, b.run.ID, sha); err != nil {
			return "", err
		}
	}
	if b.run.Delivery == domain.FixBranch {
		return b.openPull(ctx)
	}
	return b.pull.URL, nil
}

// prior counts the earlier sends of a verb that the host can have applied. It returns a [*jobs.Snooze] while the host may not show
// them yet, and a [*jobs.Fatal] if it took them and shows none. Call it after the host was asked and showed nothing.
func (b branchWriter) prior(ctx context.Context, verb string) error {
	sent, age, err := b.Store.PriorWrites(ctx, b.tenant, subjectFix, b.run.ID, verb)
	switch {
	case err != nil || sent == 0:
		return err
	case age < codehost.ListLag:
		return &jobs.Snooze{For: codehost.ListLag - age, Why: "the host's word on a write was lost, and it may not show it yet"}
	case sent >= maxSent:
		return &jobs.Fatal{Err: fmt.Errorf("the host took %d writes (%s) and shows none", sent, verb)}
	}
	return nil
}

// send sends a write with its intent.
func (b branchWriter) send(ctx context.Context, verb string, f func(context.Context) error) error {
	return b.claim.Write(ctx, b.tenant, store.WriteAttempt{SubjectKind: subjectFix, SubjectID: b.run.ID, Verb: verb, Target: b.branch}, f)
}

// createBranch makes the branch of ours at the head. A branch with its name is ours, because the name has the id of the fix run.
func (b branchWriter) createBranch(ctx context.Context) error {
	_, err := b.committer.BranchHead(ctx, b.repo, b.branch)
	if codehost.ClassOf(err) != codehost.ClassNotFound {
		return err
	}
	if b.pull.HeadSHA != b.run.HeadSHA {
		return ending{domain.FixCancelled, headMoved}
	}
	if b.isDecided() {
		return ending{domain.FixCancelled, decided}
	}
	if err := b.prior(ctx, verbBranch); err != nil {
		return err
	}
	err = b.send(ctx, verbBranch, func(ctx context.Context) error {
		return b.committer.CreateBranch(ctx, b.repo, b.branch, b.run.HeadSHA)
	})
	if codehost.ClassOf(err) == codehost.ClassExists {
		return nil
	}
	return err
}

// isDecided reports whether a finding that the commit would fix is not open any more. The edits of a commit belong together.
func (w *work) isDecided() bool {
	return slices.ContainsFunc(w.findings, func(k store.KnownFinding) bool {
		return k.State != domain.FindingOpen && slices.ContainsFunc(w.result.Findings, func(o fix.Outcome) bool {
			return o.FindingID == k.ID && o.Passed
		})
	})
}

// commit makes the commit, or finds the one that an earlier attempt made.
func (b branchWriter) commit(ctx context.Context) (sha string, err error) {
	if sha, err = b.look(ctx); err != nil || sha != "" {
		return sha, err
	}
	if err := b.prior(ctx, verbCommit); err != nil {
		return "", err
	}
	if b.isDecided() {
		return "", ending{domain.FixCancelled, decided}
	}
	if err := b.read(ctx); err != nil {
		return "", err
	}
	files, err := b.Fixer(nil, nil, nil).Contents(ctx, b.snap, b.result)
	if err != nil {
		return "", err
	}
	c := codehost.NewCommit{Branch: b.branch, Head: b.run.HeadSHA, Message: b.message()}
	for _, f := range files {
		c.Files = append(c.Files, codehost.FileChange{Path: f.Path, Content: f.Content})
	}
	var made codehost.MadeCommit
	err = b.send(ctx, verbCommit, func(ctx context.Context) (err error) {
		made, err = b.committer.Commit(ctx, b.repo, c)
		return err
	})
	switch codehost.ClassOf(err) {
	case codehost.ClassStale, codehost.ClassNotFound:
		return "", ending{domain.FixCancelled, headMoved}
	case "":
		if err != nil {
			return "", err
		}
	default:
		return "", err
	}
	if made.Parent != b.run.HeadSHA {
		b.log.WarnContext(ctx, "another push came between the look and the commit of a fix", "parent", made.Parent)
	}
	now, err := b.committer.BranchHead(ctx, b.repo, b.branch)
	if err == nil && now != made.ID {
		b.log.InfoContext(ctx, "a push followed the commit of a fix", "commit", made.ID, "head", now)
	}
	return made.ID, nil
}

// look returns the commit of this fix run on the branch, or "" if the branch still has the head that the edits belong to. It ends the
// fix run if the branch has moved otherwise.
func (b branchWriter) look(ctx context.Context) (string, error) {
	head, err := b.committer.BranchHead(ctx, b.repo, b.branch)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return "", ending{domain.FixCancelled, headMoved}
	case err != nil || head == b.run.HeadSHA:
		return "", err
	}
	sent, _, err := b.Store.PriorWrites(ctx, b.tenant, subjectFix, b.run.ID, verbCommit)
	if err != nil {
		return "", err
	}
	if sent > 0 {
		if sha, err := b.made(ctx, head); err != nil || sha != "" {
			return sha, err
		}
	}
	return "", ending{domain.FixCancelled, headMoved}
}

// maxLooked is the most commits in which the commit of a fix run is looked for, from the head of its branch on (design choice).
const maxLooked = 20

// made returns the commit of this fix run among those that the branch got after the head that the edits belong to, or "": its message
// names the fix run, and its files have the content of the result. A later commit of a person on top of it has these files, too, and is
// not ours.
func (b branchWriter) made(ctx context.Context, head string) (string, error) {
	seen := map[string]bool{b.run.HeadSHA: true}
	for next := []string{head}; len(next) > 0 && len(seen) <= maxLooked; next = next[1:] {
		if seen[next[0]] {
			continue
		}
		seen[next[0]] = true
		c, err := b.committer.CommitAt(ctx, b.repo, next[0])
		if err != nil {
			return "", err
		}
		if slices.Contains(strings.Split(strings.ReplaceAll(c.Message, "\r\n", "\n"), "\n"), trailer+b.run.ID) {
			if same, err := b.hasEdits(ctx, next[0]); err != nil || same {
				return next[0], err
			}
		}
		next = append(next, c.Parents...)
	}
	return "", nil
}

// hasEdits reports whether the files of a commit have the content of the result.
func (b branchWriter) hasEdits(ctx context.Context, commit string) (bool, error) {
	for _, f := range b.result.Files {
		content, err := b.host.Content(ctx, b.repo, f.Path, commit)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.After {
			return false, nil
		}
	}
	return true, nil
}

// message is the message of the commit. Hosts act on words in messages, so it has only words of ours.
func (b branchWriter) message() string {
	n := b.result.Passed()
	out := "Fix a finding of the review\n\n"
	if n > 1 {
		out = fmt.Sprintf("Fix %d findings of the review\n\n", n)
	}
	for _, k := range b.findings {
		if slices.ContainsFunc(b.result.Findings, func(o fix.Outcome) bool { return o.FindingID == k.ID && o.Passed }) {
			out += fmt.Sprintf("- %s (%s, %s)\n", k.ID, known(k.Category), k.Severity)
		}
	}
	if b.Base != nil {
		if page := b.Base(b.review); page != "" {
			out += "\nReview: " + page + "\n"
		}
	}
	return out + "\n" + trailer + b.run.ID + "\n"
}

// known returns the word of a category that this version knows, or "finding": the words of a message are ours.
func known(c domain.Category) string {
	if slices.Contains(domain.Categories(), c) {
		return string(c)
	}
	return "finding"
}

// openPull opens the pull request into the author's branch, or finds the one that an earlier attempt opened.
func (b branchWriter) openPull(ctx context.Context) (url string, err error) {
	for range 2 {
		open, err := b.committer.PullsFrom(ctx, b.repo, b.branch)
		if err != nil {
			return "", err
		}
		if len(open) > 0 {
			return open[0].URL, nil
		}
		if err := b.prior(ctx, verbPull); err != nil {
			return "", err
		}
		var made codehost.PullRequest
		err = b.send(ctx, verbPull, func(ctx context.Context) (err error) {
			made, err = b.committer.OpenPull(ctx, b.repo, codehost.NewPull{Branch: b.branch, Base: b.pull.HeadRef,
				Title: markdown.Format("Fix findings of the review of pull request %s", markdown.Number(b.run.Number)),
				Body:  markdown.Code(b.message(), "")})
			return err
		})
		switch codehost.ClassOf(err) {
		case codehost.ClassExists:
		case codehost.ClassForbidden:
			return "", ending{domain.FixFailed, wording.English(wording.FixEndPull, b.branch)}
		default:
			return made.URL, err
		}
	}
	return "", errors.New("the host says that the pull request is open and does not list it")
}
