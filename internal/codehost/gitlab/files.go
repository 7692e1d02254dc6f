package gitlab

import (
	"context"
	"encoding/json"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxFiles is the most changed files that are listed, as on GitHub.
const maxFiles = 3000

// Files implements [codehost.Reader]. GitLab omits the text of a collapsed or very large file, whose lines
// are then not counted.
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	const op = "list changed files"
	if err := checkPull(op, repo, number); err != nil {
		return nil, false, err
	}
	return listAllLike(ctx, h, wire.Call{Op: op, Bytes: wire.MaxDiffs}, maxFiles,
		func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.MergeRequestDiff, *sdk.Response, error) {
			return c.MergeRequests.ListMergeRequestDiffs(repo.FullName(), int64(number), &sdk.ListMergeRequestDiffsOptions{ListOptions: page}, with)
		}, func(f *sdk.MergeRequestDiff) (out codehost.ChangedFile, wanted bool) {
			if f != nil {
				out = changedFile(f)
			}
			return out, f != nil
		})
}

func changedFile(f *sdk.MergeRequestDiff) codehost.ChangedFile {
	out := codehost.ChangedFile{Path: f.NewPath, Status: "modified"}
	switch {
	case f.NewFile:
		out.Status = "added"
	case f.DeletedFile:
		out.Status = "removed"
	case f.RenamedFile:
		out.Status, out.OldPath = "renamed", f.OldPath
	}
	if !strings.HasPrefix(f.Diff, "@@") { // binary, or omitted
		return out
	}
	out.Patch = strings.TrimSuffix(f.Diff, "\n")
	for line := range strings.SplitSeq(out.Patch, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			out.Additions++
		case strings.HasPrefix(line, "-"):
			out.Deletions++
		}
	}
	return out
}

// decode decodes the JSON of an answer.
func decode(op string, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return unexpected(op, "the answer is not what the API describes")
	}
	return nil
}
