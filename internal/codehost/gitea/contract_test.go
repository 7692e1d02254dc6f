package gitea

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/testkit"
)

// description is the part of Gitea's API description that these tests read.
type description struct {
	Paths       map[string]map[string]json.RawMessage `json:"paths"`
	Definitions map[string]struct {
		Properties map[string]json.RawMessage `json:"properties"`
	} `json:"definitions"`
}

func described(t *testing.T) description {
	t.Helper()
	var d description
	if err := json.Unmarshal(testkit.Contract(t, "gitea/swagger.v1.26.4.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// Every request of the adapter is in the API description.
func TestCallsAreDescribed(t *testing.T) {
	t.Parallel()
	d := described(t)
	const repo = "/repos/{owner}/{repo}"
	for path, methods := range map[string]string{
		"/user": "get", "/version": "get", "/settings/api": "get", "/orgs/{org}": "get", "/users/search": "get", "/users/{username}": "get", "/orgs/{org}/repos": "get", "/users/{username}/repos": "get",
		"/repositories/{id}": "get", "/teams/{id}/members": "get", "/orgs/{org}/members/{username}": "get", repo: "get", repo + "/pulls": "get post", repo + "/pulls/{index}": "get", repo + "/pulls/{index}.{diffType}": "get",
		repo + "/pulls/{index}/files": "get", repo + "/raw/{filepath}": "get", repo + "/compare/{basehead}": "get", repo + "/pulls/{index}/reviews": "get post",
		repo + "/pulls/{index}/reviews/{id}": "get post delete", repo + "/pulls/{index}/reviews/{id}/comments": "get", repo + "/issues/{index}/comments": "get post",
		repo + "/issues/comments/{id}": "patch delete", repo + "/statuses/{sha}": "post", repo + "/commits/{ref}/statuses": "get", repo + "/collaborators": "get",
		repo + "/branches": "post", repo + "/branches/{branch}": "get", repo + "/git/commits/{sha}": "get", repo + "/contents": "post", repo + "/contents/{filepath}": "get",
		repo + "/labels": "get post", "/orgs/{org}/labels": "get", repo + "/issues/{index}/labels": "get post", repo + "/issues/{index}/labels/{id}": "delete",
		repo + "/actions/runs": "get", repo + "/actions/runs/{run}/jobs": "get", repo + "/actions/jobs/{job_id}/logs": "get",
		repo + "/pulls/{index}/requested_reviewers":       "post delete",
		repo + "/collaborators/{collaborator}/permission": "get", repo + "/teams": "get", repo + "/hooks": "get post", repo + "/hooks/{id}": "get patch delete",
	} {
		for m := range strings.FieldsSeq(methods) {
			if d.Paths[path][m] == nil {
				t.Errorf("%s %s is not described", m, path)
			}
		}
	}
}

// The fields that the adapter sends and reads have the names of the API description.
func TestShapesAreDescribed(t *testing.T) {
	t.Parallel()
	d := described(t)
	// These fields of the library are missing in the API description, and the adapter does not read them.
	ignored := map[string]bool{"Hook.-": true, "EditHookOption.name": true}
	for name, shape := range map[string]any{
		"CreatePullReviewOptions": sdk.CreatePullReviewOptions{}, "CreatePullReviewComment": sdk.CreatePullReviewComment{}, "SubmitPullReviewOptions": sdk.SubmitPullReviewOptions{},
		"CreateIssueCommentOption": sdk.CreateIssueCommentOption{}, "EditIssueCommentOption": sdk.EditIssueCommentOption{}, "CreateStatusOption": sdk.CreateStatusOption{},
		"CreateHookOption": sdk.CreateHookOption{}, "EditHookOption": sdk.EditHookOption{}, "PullReview": sdk.PullReview{}, "PullReviewComment": sdk.PullReviewComment{},
		"ChangeFilesOptions": sdk.ChangeFilesOptions{}, "ChangeFileOperation": sdk.ChangeFileOperation{},
		"CreateLabelOption": sdk.CreateLabelOption{}, "IssueLabelsOption": sdk.IssueLabelsOption{}, "PullReviewRequestOptions": sdk.PullReviewRequestOptions{},
		"CreatePullRequestOption": sdk.CreatePullRequestOption{}, "CommitStatus": sdk.Status{}, "Hook": sdk.Hook{}, "PRBranchInfo": sdk.PRBranchInfo{}, "ChangedFile": sdk.ChangedFile{},
		"RepoCollaboratorPermission": sdk.CollaboratorPermissionResult{}, "Compare": comparison{},
	} {
		of := reflect.TypeOf(shape)
		for i := range of.NumField() {
			field, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if d.Definitions[name].Properties[field] == nil && !ignored[name+"."+field] {
				t.Errorf("%s has no %q", name, field)
			}
		}
	}
	for name, fields := range map[string]string{
		"PullRequest":            "number title body html_url user state draft merged merged_at head base merge_base labels updated_at changed_files additions deletions requested_reviewers",
		"CreateBranchRepoOption": "new_branch_name old_ref_name", "Label": "id name", "Branch": "name commit", "PayloadCommit": "id", "ContentsResponse": "type sha", "FileCommitResponse": "sha parents", "FilesResponse": "commit",
		"ActionWorkflowRunsResponse": "workflow_runs", "ActionWorkflowJobsResponse": "jobs", "ActionWorkflowRun": "id path", "ActionWorkflowStep": "number name status conclusion",
		"ActionWorkflowJob": "id name status conclusion html_url started_at completed_at steps",
		"User":              "id login", "Repository": "id name owner default_branch private internal archived permissions", "Permission": "admin push pull",
		"Comment": "id body user html_url", "Team": "id permission units_map", "Organization": "id username", "Commit": "sha parents", "GeneralAPISettings": "max_response_items",
	} {
		for f := range strings.FieldsSeq(fields) {
			if d.Definitions[name].Properties[f] == nil {
				t.Errorf("%s has no %q", name, f)
			}
		}
	}
}
