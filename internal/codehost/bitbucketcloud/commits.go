package bitbucketcloud

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxKnown is the most entries of each cache of a host. A full cache begins again.
const maxKnown = 4000

// maxCounted is the most commits that are counted on each side of a comparison.
const maxCounted = 1000

// shortForm matches an id of a commit as pull requests have it (the description: at least seven digits).
var shortForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func (k *known) learnCommit(repo codehost.Repo, short, full string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.commits == nil || len(k.commits) >= maxKnown {
		k.commits = map[string]string{}
	}
	k.commits[repo.FullName()+"@"+short] = full
}

// expand returns the full id of a commit, which it asks for in the repository in. repo is the repository that the answer is kept for.
func (h *Host) expand(ctx context.Context, op string, repo, in codehost.Repo, short string) (string, error) {
	if codehost.IsCommit(short) {
		return short, nil
	}
	if !shortForm.MatchString(short) {
		return "", unexpected(op, "the answer names no commit")
	}
	h.known.mu.Lock()
	full := h.known.commits[repo.FullName()+"@"+short]
	h.known.mu.Unlock()
	if full != "" {
		return full, nil
	}
	if err := wire.CheckRepo(op, in); err != nil {
		return "", err
	}
	c, err := h.commit(ctx, op, in, short)
	if err != nil {
		return "", err
	}
	h.known.learnCommit(repo, short, c.Hash)
	return c.Hash, nil
}

// commit reads a commit by its full or short id.
func (h *Host) commit(ctx context.Context, op string, repo codehost.Repo, id string) (commitRef, error) {
	var c commitRef
	if err := h.client.Get(ctx, op, at(repo)+"/commit/"+id, &c); err != nil {
		return commitRef{}, err
	}
	if !codehost.IsCommit(c.Hash) || !strings.HasPrefix(c.Hash, id) {
		return commitRef{}, unexpected(op, "the answer is not the commit")
	}
	return c, nil
}

// Compare implements [codehost.Reader] with the merge base and two lists of commits. It counts at most [maxCounted] commits on a side.
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (codehost.Comparison, error) {
	const op = "compare commits"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return codehost.Comparison{}, codehost.Refused(op, "base and head must be full commit ids")
	}
	var found commitRef
	if err := h.client.Get(ctx, op, at(repo)+"/merge-base/"+head+".."+base, &found); err != nil {
		return codehost.Comparison{}, err
	}
	full, err := h.expand(ctx, op, repo, repo, found.Hash)
	if err != nil {
		return codehost.Comparison{}, err
	}
	out := codehost.Comparison{MergeBase: full}
	if out.AheadBy, err = h.countCommits(ctx, op, repo, full, head); err != nil {
		return codehost.Comparison{}, err
	}
	if out.BehindBy, err = h.countCommits(ctx, op, repo, full, base); err != nil {
		return codehost.Comparison{}, err
	}
	return out, nil
}

// countCommits returns the number of commits that lead from one commit to the other.
func (h *Host) countCommits(ctx context.Context, op string, repo codehost.Repo, from, to string) (int, error) {
	if from == to {
		return 0, nil
	}
	n, q := 0, url.Values{"exclude": {from}, "pagelen": {"100"}, "fields": {"next,values.hash"}}
	_, _, err := list(ctx, h, op, at(repo)+"/commits/"+to+"?"+q.Encode(), maxCounted, func(commitRef) (struct{}, bool) {
		n++
		return struct{}{}, false
	})
	return n, err
}

// Messages implements [codehost.Messenger], newest first.
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	out, _, err = list(ctx, h, op, pullPath(repo, number)+"/commits?pagelen=100", codehost.MaxMessages, func(c commitRef) (string, bool) {
		return clip.Bytes(c.Message, codehost.MaxMessage), true
	})
	return out, err
}
