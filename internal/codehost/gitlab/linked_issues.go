package gitlab

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxIssueKey is the most characters of an issue's key; longer keys are cut.
const maxIssueKey = 100

// LinkedIssues implements [codehost.IssueLinker] (docs.gitlab.com/api/merge_requests, "List issues that
// close on merge"). The id of an issue of an external tracker, such as Jira, is its key. The id of the
// project's own issue is a number.
func (h *Host) LinkedIssues(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list linked issues"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	raw, err := h.get(ctx, &wire.Call{Op: op, Entries: pageSize},
		fmt.Sprintf("%s/merge_requests/%d/closes_issues?per_page=%d", project(repo), number, pageSize))
	if err != nil {
		return nil, err
	}
	var list []struct{ ID json.RawMessage }
	if json.Unmarshal(raw, &list) != nil {
		return nil, unexpected(op, "the answer is not a list of issues")
	}
	for _, i := range list {
		var key string
		if json.Unmarshal(i.ID, &key) == nil && key != "" && len(out) < codehost.MaxLinkedIssues {
			out = append(out, wire.OneLine(key, maxIssueKey))
		}
	}
	return out, nil
}
