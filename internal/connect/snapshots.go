package connect

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/wording"
)

// Snapshots fetches the code of a run: with git into a bare object store, and through the host's contents
// API if git fails.
type Snapshots struct {
	Cache   *snapshot.Cache
	Factory *outbound.Factory
	Gate    codehost.Gate // a fetch takes a slot of the installation, as API requests do
	CAFile  string
	Logger  *slog.Logger
}

// gitPurpose identifies fetches to the outbound guard.
var gitPurpose = outbound.Purpose{Name: "git"}

// Open implements [review.Snapshots].
func (s *Snapshots) Open(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int, mergeBase, head string,
	more ...string) (review.Snapshot, error) {
	access, err := host.Clone(ctx, repo)
	if err != nil {
		return nil, err
	}
	released := &releases{snapshots: s, host: host, repo: repo, head: head}
	snap, err := s.byGit(ctx, repo, access, mergeBase, head, more)
	if errs.Is(err, errs.NotFound) && len(more) > 0 && ctx.Err() == nil { // a branch may have moved meanwhile
		snap, err = s.byGit(ctx, repo, access, mergeBase, head, nil)
	}
	if err == nil {
		snap.releases = released
		return snap, nil
	}
	if ctx.Err() != nil || codehost.ClassOf(err) == codehost.ClassLimited { // the rate limit applies to the API too
		return nil, err
	}
	s.Logger.WarnContext(ctx, "git could not read the change; reading it through the host's API", "repository", repo.FullName(),
		"number", number, "error", err)
	through, rerr := readThroughAPI(ctx, host, repo, number, mergeBase, head)
	if rerr != nil {
		return nil, rerr
	}
	through.releases = released
	if beyondBounds(err) {
		return noticedSnapshot{through, wording.English(wording.NoticeThroughHost)}, nil
	}
	return through, nil
}

// beyondBounds reports whether git failed because the repository is too large or too slow.
func beyondBounds(err error) bool {
	e, ok := errors.AsType[*errs.Error](err)
	return errs.Is(err, errs.TooLarge) || ok && e.Code == snapshot.CodeSlow
}

// noticedSnapshot is a snapshot with a notice for the review.
type noticedSnapshot struct {
	hostSnapshot
	notice string
}

// Notice implements [review.Snapshot].
func (n noticedSnapshot) Notice() string { return n.notice }

// byGit reads the change with git. It computes the diff at once, because the repository may prove to be
// beyond the bounds there.
func (s *Snapshots) byGit(ctx context.Context, repo codehost.Repo, access codehost.CloneAccess, mergeBase, head string,
	more []string) (*gitSnapshot, error) {
	git, err := s.fetch(ctx, repo, access, append([]string{mergeBase, head}, more...)...)
	if err != nil {
		return nil, err
	}
	raw, err := git.Diff(ctx, mergeBase, head)
	if beyondBounds(err) {
		return nil, errors.Join(err, git.Close())
	}
	return &gitSnapshot{Whole: git.Source(mergeBase, head), repo: git, commits: slices.Concat(more, []string{mergeBase, head}),
		diff: raw, failed: err}, nil
}

func (s *Snapshots) fetch(ctx context.Context, repo codehost.Repo, access codehost.CloneAccess, shas ...string) (*snapshot.Repo, error) {
	remote, host, err := s.remote(ctx, access)
	if err != nil {
		return nil, err
	}
	return s.Cache.Fetch(ctx, remote, storeKey(host, repo), shas...)
}

// storeKey names the store of a repository. Accesses never share a store, because objects can be read by
// their hash.
func storeKey(host string, repo codehost.Repo) string {
	return host + "|" + string(repo.Access) + "|" + string(repo.ExternalID)
}

// remote returns the address for git, and the host that was looked up.
func (s *Snapshots) remote(ctx context.Context, access codehost.CloneAccess) (snapshot.Remote, string, error) {
	target, err := s.Factory.ResolveForGit(ctx, access.URL, gitPurpose)
	if err != nil {
		return snapshot.Remote{}, "", err
	}
	remote := snapshot.Remote{URL: access.URL, Username: access.Username, Bearer: access.Bearer, Token: access.Token, CAFile: s.CAFile,
		Proxy:     target.Proxy,
		AllowHTTP: strings.HasPrefix(access.URL, "http://"), // the guard has just allowed or refused the URL
		Turn: func(ctx context.Context, talk func(context.Context) error) error {
			return gate.Hold(ctx, s.Gate, access.Budget, func(ctx context.Context) error { return limitOf(talk(ctx)) })
		}}
	if r := target.CurlResolve(); r != "" {
		remote.Resolve = []string{r}
	}
	return remote, target.Host, nil
}

// limitOf turns a rate limit that git met into one of the host. Its duration is unknown, because git does
// not show the answer's headers.
func limitOf(err error) error {
	if errs.Is(err, errs.RateLimited) {
		return &codehost.Error{Class: codehost.ClassLimited, Op: "git fetch", Status: http.StatusTooManyRequests, Cause: err}
	}
	return err
}

type gitSnapshot struct {
	snapshot.Whole
	*releases
	repo    *snapshot.Repo
	commits []string // known to be in the store
	diff    []byte
	failed  error // of computing it; the next attempt repairs a damaged store
}

// UseIndex makes searches of the head ask an index; see [snapshot.Repo.UseIndex].
func (g *gitSnapshot) UseIndex(x snapshot.WordIndex) { g.repo.UseIndex(x) }

// Diff implements [review.Snapshot].
func (g *gitSnapshot) Diff(context.Context) ([]byte, error) { return g.diff, g.failed }

// At implements [review.Snapshot].
func (g *gitSnapshot) At(commit string) guideline.Tree {
	if !slices.Contains(g.commits, commit) {
		return nil
	}
	return g.repo.At(commit)
}

// Notice implements [review.Snapshot].
func (g *gitSnapshot) Notice() string { return "" }

// Close implements [review.Snapshot].
func (g *gitSnapshot) Close() error { return g.repo.Close() }

// Change returns the present diff of a pull request from the host, without a clone. The host's diff fails
// above its limits (300 files or 20,000 lines on GitHub). Then Change builds the diff from the list of
// files, and the diff names what the list leaves out.
func Change(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int) ([]byte, error) {
	raw, err := host.Diff(ctx, repo, number)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		raw, err = listedDiff(ctx, host, repo, number)
	}
	return raw, err
}

// readThroughAPI reads the change through the host's API.
func readThroughAPI(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int,
	mergeBase, head string) (hostSnapshot, error) {
	raw, err := Change(ctx, host, repo, number)
	if err != nil {
		return hostSnapshot{}, err
	}
	from := func(sha string) hostTree { return hostTree{host, repo, sha} }
	return hostSnapshot{Files: snapshot.FromFiles(func(ctx context.Context, side domain.Side, path string) ([]byte, error) {
		if side == domain.Left {
			return from(mergeBase).Blob(ctx, path)
		}
		return from(head).Blob(ctx, path)
	}, raw), from: from}, nil
}

// hostSnapshot is a change that is read through the host's API.
type hostSnapshot struct {
	*snapshot.Files
	*releases
	from func(sha string) hostTree
}

// At implements [review.Snapshot].
func (h hostSnapshot) At(commit string) guideline.Tree { return h.from(commit) }

// hostTree is one version of the files, read one by one through the host's API.
type hostTree struct {
	host codehost.Reader
	repo codehost.Repo
	sha  string
}

// List implements [guideline.Tree].
func (hostTree) List(context.Context, ...string) ([]snapshot.Entry, error) {
	return nil, guideline.ErrNoList
}

// Blob implements [guideline.Tree].
func (t hostTree) Blob(ctx context.Context, path string) ([]byte, error) {
	b, err := t.host.Content(ctx, t.repo, path, t.sha)
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound:
		return nil, fs.ErrNotExist
	case codehost.ClassTooLarge:
		return nil, errs.Wrap(err, errs.TooLarge, "snapshot_too_large", "The host does not give a file of this size.")
	}
	return b, err
}

// listedDiff builds a diff from the host's list of changed files.
func listedDiff(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int) ([]byte, error) {
	files, complete, err := host.Files(ctx, repo, number)
	if err != nil {
		return nil, err
	}
	patches := make([]diff.Patch, len(files))
	for i, f := range files {
		patches[i] = patch(f)
	}
	raw, err := diff.Format(patches)
	if err == nil && !complete {
		raw = append(diff.Lacking(wording.English(wording.NoticeHostLists, len(files))), raw...)
	}
	return raw, err
}

// patch converts an entry of the host's list of files. An entry without text but with changed lines is too
// large for the host; others without text are binary, or only renamed.
func patch(f codehost.ChangedFile) diff.Patch {
	p := diff.Patch{Path: f.Path, OldPath: f.OldPath, Text: f.Patch}
	switch f.Status {
	case "added":
		p.Status = diff.Added
	case "removed":
		p.Status = diff.Deleted
	case "renamed":
		p.Status = diff.Renamed
	case "copied":
		p.Status = diff.Copied
	}
	switch {
	case f.Patch != "":
	case f.Additions+f.Deletions > 0:
		p.Omitted = diff.OmittedByHost
	default:
		p.Binary = p.Status == "" || p.Status == diff.Added || p.Status == diff.Deleted
	}
	return p
}
