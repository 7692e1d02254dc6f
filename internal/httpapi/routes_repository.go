package httpapi

import (
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// repositoryRoutes returns the endpoints of a repository.
func repositoryRoutes() []Route {
	return []Route{
		{"GET", repo + "/ac-checks", perm.RepoView, "-", "-", typed("Acceptance criteria, judged", (*server).acceptanceChecks)},
		{"GET", repo + "/analytics", perm.RepoView, "-", "no", typed("Figures of the repository", (*server).repositoryFigures)},
		{"GET", repo + "/analytics/costs", perm.RepoManage, "-", "no", typed("Costs of models of the repository", (*server).repositoryCosts)},
		{"GET", repo + "/approvals", perm.RepoReview, "-", "-", typed("Reviews that wait for a decision, or were decided", (*server).repositoryApprovals)},
		{"POST", repo + "/approvals/{pendingOutputId}/approve", perm.RepoReview, "ApprovalDecision", "-", typed("Approve a review that waits, and publish it", (*server).approve)},
		{"POST", repo + "/approvals/{pendingOutputId}/reject", perm.RepoReview, "ApprovalDecision", "-", typed("Reject a review that waits", (*server).reject)},
		{"PUT", repo + "/assignment/apply-opt-in", perm.TenantManage, "ApplyOptInUpdate", "-", typed("Say whether reviews may be requested in the repository", (*server).putApplyOptIn)},
		{"GET", repo + "/assignment/gate", perm.RepoView, "-", "-", typed("Conditions for requesting reviewers", (*server).assignmentGate)},
		{"GET", repo + "/assignment/workload", perm.RepoManage, "-", "-", unfilled(typed("Open reviews by person", (*server).assignmentWorkload))},
		{"GET", repo + "/assignments", perm.RepoView, "-", "-", unfilled(typed("Suggestions of reviewers", (*server).assignments))},
		{"GET", repo + "/calibration", perm.RepoView, "-", "-", typed("How often findings of a category were taken or refused, and the threshold that follows", lists((*store.Store).Calibrations, calibration))},
		{"GET", repo + "/ci-analyses", perm.RepoView, "-", "-", typed("Analyses of failed jobs of pull requests, newest first", (*server).ciAnalyses)},
		{"GET", repo + "/ci-analyses/{analysisId}", perm.RepoView, "-", "-", typed("The analysis of a failed job, with its log", (*server).ciAnalysis)},
		{"GET", repo + "/code-index", perm.RepoView, "-", "-", typed("State of the code index of the default branch", (*server).codeIndex)},
		{"POST", repo + "/code-index/rebuild", perm.RepoManage, "-", "-", startsWork("Build the code index from nothing, beside the one that answers searches", (*server).rebuildCodeIndex)},
		{"GET", repo + "/dry-runs", perm.RepoView, "-", "-", typed("Dry runs", lists((*store.Store).DryRuns, dryRun))},
		{"POST", repo + "/dry-runs", perm.RepoManage, "DryRunCreate", "-", startsWork("Review pull requests without writing to the host", (*server).createDryRun)},
		{"GET", repo + "/dry-runs/{dryRunId}", perm.RepoView, "-", "-", typed("A dry run", (*server).dryRun)},
		{"POST", repo + "/dry-runs/{dryRunId}/cancel", perm.RepoManage, "-", "-", typed("Cancel a dry run", (*server).cancelDryRun)},
		{"GET", repo + "/feature-settings", perm.RepoView, "-", "-", typed("Every setting as it holds, and who said so", (*server).featureSettings)},
		{"GET", repo + "/fix-runs", perm.RepoView, "-", "-", typed("Fix runs, the newest first", (*server).fixRuns)},
		{"GET", repo + "/fix-runs/{fixRunId}", perm.RepoView, "-", "-", typed("A fix run", (*server).fixRun)},
		{"GET", repo + "/links", perm.RepoView, "-", "-", typed("List the repository's links", (*server).links)},
		{"POST", repo + "/links", perm.TenantManage, "RepositoryLinkCreate", "-", creates("Link another repository", (*server).createLink)},
		{"DELETE", repo + "/links/{linkId}", perm.TenantManage, "-", "-", typed("Delete a link", (*server).deleteLink)},
		{"GET", repo + "/llm-policy", perm.RepoView, "-", "-", typed("How the repository uses models, and what it inherits", (*server).repositoryLlmPolicy)},
		{"PUT", repo + "/llm-policy", perm.RepoManage, "RepoLlmPolicy", "-", typed("Narrow how the repository uses models", (*server).putRepositoryLlmPolicy)},
		{"GET", repo + "/policy", perm.RepoView, "-", "-", typed("Review policy settings of the repository", (*server).repositoryPolicy)},
		{"PUT", repo + "/policy", perm.RepoManage, "RepositoryPolicyUpdate", "-", typed("Replace the review policy settings of the repository", (*server).putRepositoryPolicy)},
		{"GET", repo + "/review-runs", perm.RepoView, "-", "-", typed("List review runs", (*server).reviewRuns)},
		{"GET", repo + "/review-runs/{runId}", perm.RepoView, "-", "-", typed("Everything about a review run", (*server).reviewRunDetail)},
		{"POST", repo + "/review-runs/{runId}/fixes", perm.RepoManage, "ReviewFixRequest", "-", startsWork("Fix findings of a run", (*server).createFixRun)},
		{"POST", repo + "/review-runs/{runId}/rerun", perm.RepoManage, "-", "-", startsWork("Review the current head again", (*server).rerun)},
		{"GET", repo + "/rules", perm.RepoView, "-", "-", typed("List the repository's own rules", (*server).repositoryRules)},
		{"POST", repo + "/rules", perm.RepoManage, "RuleCreate", "-", creates("Make a rule of the repository", (*server).createRepositoryRule)},
		{"DELETE", repo + "/rules/{ruleId}", perm.RepoManage, "-", "-", typed("Delete a rule of the repository", (*server).deleteRepositoryRule)},
		{"PATCH", repo + "/rules/{ruleId}", perm.RepoManage, "RuleUpdate", "-", typed("Change a rule of the repository", (*server).updateRepositoryRule)},
		{"GET", repo + "/rules/effective", perm.RepoView, "-", "-", typed("The rules that a review of the repository has, in its order", (*server).effectiveRules)},
		{"GET", repo + "/sast-runs", perm.RepoView, "-", "-", typed("Runs of static analysis, newest first", (*server).sastRuns)},
		{"GET", repo + "/sast-runs/{sastRunId}", perm.RepoView, "-", "-", typed("A run of static analysis", (*server).sastRun)},
		{"GET", repo + "/suppressions", perm.RepoView, "-", "-", typed("Suppressions, the newest first", (*server).suppressions)},
		{"POST", repo + "/suppressions/{suppressionId}/decision", perm.RepoManage, "SuppressionDecision", "-", typed("Accept or decline a proposed suppression", (*server).decideSuppression)},
		{"GET", repo + "/tracker-links", perm.RepoView, "-", "no", typed("Issues of pull requests", (*server).trackerLinks)},
		{"GET", repo + "/triage-runs", perm.RepoView, "-", "-", typed("First looks at changes", lists((*store.Store).TriageRuns, triageRun))},
	}
}
