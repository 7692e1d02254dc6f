package snapshot

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/errs"
)

// Branch asks a remote for the newest commit of a branch. Errors are those of [Cache.Fetch], and NotFound
// if the branch does not exist.
func (c *Cache) Branch(ctx context.Context, remote Remote, branch string) (sha string, err error) {
	if branch == "" || len(branch) > 1000 || strings.ContainsAny(branch, " ~^:?*[\\\n\r\x00") || strings.HasPrefix(branch, "-") {
		return "", errs.New(errs.Malformed, "bad_branch", "This is not the name of a branch.")
	}
	ref := "refs/heads/" + branch
	out, err := c.list(ctx, remote, 0, "--refs", "--end-of-options", remote.URL, ref)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if sha, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == ref && checkSHA(sha) == nil { // longer names match too
			return sha, nil
		}
	}
	return "", errs.New(errs.NotFound, "branch_gone", "The host does not have the branch.")
}

// DefaultBranch asks a remote for the name of its default branch. Errors are those of [Cache.Fetch], and NotFound for a repository without
// commits.
func (c *Cache) DefaultBranch(ctx context.Context, remote Remote) (string, error) {
	out, err := c.list(ctx, remote, 0, "--symref", "--end-of-options", remote.URL, "HEAD")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		ref, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if branch, is := strings.CutPrefix(ref, "ref: refs/heads/"); is && name == "HEAD" && branch != "" && utf8.ValidString(branch) {
			return branch, nil
		}
	}
	return "", errs.New(errs.NotFound, "no_branch", "The repository has no default branch, or no commits.")
}

// list asks a remote for references, when it is the remote's turn, and returns at most max bytes of them; 0: 1 MiB.
func (c *Cache) list(ctx context.Context, remote Remote, max int, args ...string) (out []byte, err error) {
	if err := remote.check(); err != nil {
		return nil, err
	}
	git, err := findGit(c.GitPath)
	if err != nil {
		return nil, err
	}
	git.bounds = c.bounds()
	ask := func(ctx context.Context) (err error) {
		out, err = c.ask(ctx, git, remote, max, args)
		return err
	}
	if remote.Turn == nil {
		err = ask(ctx)
	} else {
		err = remote.Turn(ctx, ask)
	}
	return out, err
}

// ask runs the command that asks the host, within the time of a fetch.
func (c *Cache) ask(ctx context.Context, git program, remote Remote, max int, args []string) ([]byte, error) {
	inner, cancel := context.WithTimeout(ctx, cmp.Or(c.FetchTimeout, defaultFetchTimeout))
	defer cancel()
	config, protocol, hidden := remote.config()
	out, err := git.run(inner, call{args: append([]string{"ls-remote", "--quiet"}, args...), config: config, protocol: protocol,
		max: max, what: "list of branches and tags"})
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return nil, errs.Wrap(err, errs.Unavailable, "fetch_timeout", "The host did not answer in time.")
	case err != nil:
		return nil, classify(err, hidden)
	}
	return out, nil
}
