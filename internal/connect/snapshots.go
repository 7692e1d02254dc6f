package connect

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Snapshots fetches the code of a run: by git into a bare object store, and
// through the host's contents where git does not get it.
type Snapshots struct {
	Cache   *snapshot.Cache
	Factory *outbound.Factory
	CAFile  string
	Logger  *slog.Logger
}

// gitPurpose is how fetching counts for the outbound guard.
var gitPurpose = outbound.Purpose{Name: "git"}

// Open implements [review.Snapshots].
func (s *Snapshots) Open(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int, mergeBase, head string) (review.Snapshot, error) {
	access, err := host.Clone(ctx, repo)
	if err != nil {
		return nil, err
	}
	git, err := s.fetch(ctx, repo, access, mergeBase, head)
	if err == nil {
		return &gitSnapshot{Source: git.Source(mergeBase, head), repo: git, mergeBase: mergeBase, head: head}, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	s.Logger.WarnContext(ctx, "git could not fetch the change; reading it through the host's API", "repository", repo.FullName(), "number", number, "error", err)
	return &apiSnapshot{host: host, repo: repo, number: number, mergeBase: mergeBase, head: head}, nil
}

func (s *Snapshots) fetch(ctx context.Context, repo codehost.Repo, access codehost.CloneAccess, shas ...string) (*snapshot.Repo, error) {
	target, err := s.Factory.ResolveForGit(ctx, access.URL, gitPurpose)
	if err != nil {
		return nil, err
	}
	remote := snapshot.Remote{URL: access.URL, Username: access.Username, Token: access.Token, CAFile: s.CAFile,
		AllowHTTP: strings.HasPrefix(access.URL, "http://")} // the guard has just allowed it, or refused the URL
	if r := target.CurlResolve(); r != "" {
		remote.Resolve = []string{r}
	}
	// Installations never share a store: objects can be read by their hash.
	key := target.Host + "|" + strconv.FormatInt(repo.Installation, 10) + "|" + strconv.FormatInt(repo.ExternalID, 10)
	return s.Cache.Fetch(ctx, remote, key, shas...)
}

type gitSnapshot struct {
	snapshot.Source
	repo            *snapshot.Repo
	mergeBase, head string
}

// Diff implements [review.Snapshot].
func (g *gitSnapshot) Diff(ctx context.Context) ([]byte, error) {
	return g.repo.Diff(ctx, g.mergeBase, g.head)
}

// Close implements [review.Snapshot].
func (g *gitSnapshot) Close() error { return g.repo.Close() }

// apiSnapshot reads through the host's API, file by file.
type apiSnapshot struct {
	host            codehost.Reader
	repo            codehost.Repo
	number          int
	mergeBase, head string
}

// Blob implements engine.Source.
func (a *apiSnapshot) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	sha := a.head
	if side == domain.Left {
		sha = a.mergeBase
	}
	b, err := a.host.Content(ctx, a.repo, path, sha)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil, fs.ErrNotExist
	}
	return b, err
}

// Diff implements [review.Snapshot]. The host's own diff fails above its limits
// (300 files or 20,000 lines on GitHub); the list of files is used then.
func (a *apiSnapshot) Diff(ctx context.Context) ([]byte, error) {
	raw, err := a.host.Diff(ctx, a.repo, a.number)
	if codehost.ClassOf(err) != codehost.ClassTooLarge {
		return raw, err
	}
	files, _, err := a.host.Files(ctx, a.repo, a.number)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, f := range files {
		writePatch(&b, f)
	}
	return b.Bytes(), nil
}

// Close implements [review.Snapshot].
func (a *apiSnapshot) Close() error { return nil }

// writePatch renders a file of the host's list as git would.
func writePatch(b *bytes.Buffer, f codehost.ChangedFile) {
	from, to := f.OldPath, f.Path
	if from == "" {
		from = f.Path
	}
	fmt.Fprintf(b, "diff --git %s %s\n", quote("a/"+from), quote("b/"+to))
	switch f.Status {
	case "added":
		b.WriteString("new file mode 100644\n")
	case "removed":
		b.WriteString("deleted file mode 100644\n")
	case "renamed":
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", quote(from), quote(to))
	}
	if f.Patch == "" {
		return
	}
	old, now := quote("a/"+from), quote("b/"+to)
	if f.Status == "added" {
		old = "/dev/null"
	}
	if f.Status == "removed" {
		now = "/dev/null"
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n%s\n", old, now, strings.TrimSuffix(f.Patch, "\n"))
}

// quote writes a path as git does when it has bytes that would break the line.
func quote(path string) string {
	if !strings.ContainsAny(path, "\"\\\n\r\t") {
		return path
	}
	return strconv.Quote(path)
}
