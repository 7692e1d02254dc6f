package bitbucketcloud

import (
	"context"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxFiles is the most changed files that are listed, as on GitHub.
const maxFiles = 3000

// counts is the size of a change.
type counts struct{ files, added, removed int }

type diffstat struct {
	Status  string `json:"status"` // added, removed, modified, renamed; "merge conflict" and others are not in the description
	Added   int    `json:"lines_added"`
	Removed int    `json:"lines_removed"`
	Old     *struct {
		Path string `json:"path"`
	} `json:"old"`
	New *struct {
		Path string `json:"path"`
	} `json:"new"`
}

func (d diffstat) file() (codehost.ChangedFile, bool) {
	out := codehost.ChangedFile{Status: d.Status, Additions: max(d.Added, 0), Deletions: max(d.Removed, 0)}
	switch {
	case d.New != nil && d.New.Path != "":
		out.Path = d.New.Path
		if d.Old != nil && d.Old.Path != d.New.Path {
			out.OldPath = d.Old.Path
		}
	case d.Old != nil:
		out.Path = d.Old.Path
	}
	switch d.Status {
	case "added", "removed", "renamed", "modified":
	default:
		out.Status = "modified"
	}
	return out, out.Path != ""
}

// redirected asks for a path of a pull request, which the host answers with the address of the comparison of its commits
// (the description: 302), and returns that address. It also works for commits of a fork.
func (h *Host) redirected(ctx context.Context, op string, repo codehost.Repo, number int, what string) (string, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return "", err
	}
	c := h.client.Read(op)
	c.Found = true
	header, err := h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: pullPath(repo, number) + "/" + what}, nil)
	if err != nil {
		return "", err
	}
	to, ok := wire.SameOrigin(h.client.Root, header.Get("Location"))
	if !ok || header.Get("Location") == "" {
		return "", unexpected(op, "the host does not say where the comparison is")
	}
	return strings.TrimPrefix(to, h.client.Root), nil
}

// stats lists the changed files of a pull request.
func (h *Host) stats(ctx context.Context, op string, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	path, err := h.redirected(ctx, op, repo, number, "diffstat")
	if err != nil {
		return nil, false, err
	}
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return list(ctx, h, op, path+sep+"pagelen=500", maxFiles, diffstat.file)
}

// sizeOf returns the size of a pull request's change between two commits.
func (h *Host) sizeOf(ctx context.Context, op string, repo codehost.Repo, number int, head, base string) (counts, error) {
	key := repo.FullName() + "@" + head + ".." + base
	h.known.mu.Lock()
	n, found := h.known.counts[key]
	h.known.mu.Unlock()
	if found {
		return n, nil
	}
	files, _, err := h.stats(ctx, op, repo, number)
	if err != nil {
		return counts{}, err
	}
	for _, f := range files {
		n.files, n.added, n.removed = n.files+1, n.added+f.Additions, n.removed+f.Deletions
	}
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	if h.known.counts == nil || len(h.known.counts) >= maxKnown {
		h.known.counts = map[string]counts{}
	}
	h.known.counts[key] = n
	return n, nil
}

// Files implements [codehost.Reader]. The host's list has no texts, so they come from the diff unless it is too large.
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	files, whole, err := h.stats(ctx, "list changed files", repo, number)
	if err != nil {
		return nil, false, err
	}
	return files, whole, wire.AddTexts(ctx, h, repo, number, files)
}

// Diff implements [codehost.Reader] with the changes since the merge base. The adapter refuses diffs above 16 MiB, and the host those
// that take too long to compute.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	path, err := h.redirected(ctx, op, repo, number, "diff")
	if err != nil {
		return nil, err
	}
	var body []byte
	c := h.client.Read(op)
	c.Raw = true
	_, err = h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: path}, &body)
	return body, err
}
