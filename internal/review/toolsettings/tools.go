package toolsettings

import (
	"fmt"
	"strings"
)

// Reasons that several tools share.
const (
	reasonSummary  = "the form of assay's summary is fixed"
	reasonModels   = "models are chosen by the tenant, not in a repository"
	reasonAnalysis = "assay runs no linters; its checks without a model are deterministic.secrets and others that are always on"
	reasonTitles   = "assay does not choose pull requests by their titles or texts"
	reasonBranches = "assay has patterns of branches that are reviewed (triggers.targetBranches), not of branches that are not"
	reasonLabels   = "assay has labels that start a review (triggers.labels), not labels that prevent one"
	reasonTone     = "assay has no setting for its tone"
	reasonChat     = "assay answers commands and has no settings for them"
	reasonTickets  = "issue trackers are connected by the tenant"
	reasonTitle    = "assay does not change titles and descriptions of pull requests"
	reasonReads    = "assay reads the repository of the pull request, its guideline files and linked issues, and nothing else"
	reasonService  = "assay is a service: the triggers of the policy say when it reviews"
)

// codeRabbit maps .coderabbit.yaml (docs.coderabbit.ai, "Configuration reference").
var codeRabbit = map[string]handler{
	"language":                                    text("language"),
	"reviews.profile":                             choice("profile", map[string]string{"chill": "quiet", "assertive": "assertive"}),
	"reviews.path_filters":                        filters,
	"reviews.path_instructions":                   ignored,
	"reviews.auto_review.enabled":                 automatic,
	"reviews.auto_review.auto_incremental_review": incremental,
	"reviews.auto_review.drafts":                  truth("triggers.draft"),
	"reviews.auto_review.ignore_usernames":        names("triggers.excludedAuthors", maxAuthors),
	"reviews.auto_review.labels":                  labels,
	"reviews.tools.gitleaks.enabled":              truth("deterministic.secrets"),
	"knowledge_base.code_guidelines.enabled":      truth("guidelineFiles"),
}

var codeRabbitReasons = map[string]string{
	"tone_instructions":                         reasonTone,
	"early_access":                              "assay has no early access",
	"auto_resolve_threads":                      "assay always resolves its threads whose code is mended, where the host allows it",
	"inheritance":                               "the settings of the tenant are the defaults of every repository",
	"enable_free_tier":                          "assay has no tiers of service",
	"chat":                                      reasonChat,
	"code_generation":                           "assay does not write code into a repository",
	"reviews.high_level_summary":                reasonSummary,
	"reviews.high_level_summary_placeholder":    reasonSummary,
	"reviews.high_level_summary_in_walkthrough": reasonSummary,
	"reviews.collapse_walkthrough":              reasonSummary,
	"reviews.changed_files_summary":             reasonSummary,
	"reviews.sequence_diagrams":                 reasonSummary,
	"reviews.poem":                              reasonSummary,
	"reviews.in_progress_fortune":               reasonSummary,
	"reviews.review_status":                     reasonSummary,
	"reviews.review_details":                    reasonSummary,
	"reviews.high_level_summary_instructions":   reasonSummary,
	"reviews.estimate_code_review_effort":       reasonSummary,
	"reviews.related_issues":                    reasonSummary,
	"reviews.related_prs":                       reasonSummary,
	"reviews.assess_linked_issues":              "assay judges the acceptance criteria of linked issues (docs/tickets.md)",
	"reviews.auto_title_placeholder":            reasonTitle,
	"reviews.auto_title_instructions":           reasonTitle,
	"reviews.auto_assign_reviewers":             "suggesting reviewers is not built yet",
	"reviews.auto_apply_labels":                 "see triageLabels and triageLabelNames of the policy",
	"reviews.request_changes_workflow": "assay neither approves nor requests changes: check.failOn decides which findings fail " +
		"the check",
	"reviews.commit_status":         "every review of assay ends a check",
	"reviews.fail_commit_status":    "check.failOn decides which findings fail the check",
	"reviews.abort_on_close":        "assay always ends the review of a pull request that is closed",
	"reviews.suggested_reviewers":   "suggesting reviewers is not built yet",
	"reviews.suggested_labels":      "see triageLabels and triageLabelNames of the policy",
	"reviews.labeling_instructions": "assay chooses among triageLabelNames without instructions",
	"reviews.auto_review.base_branches": "CodeRabbit adds these to the default branch, whose name is not in the file: " +
		"set triggers.targetBranches to both",
	"reviews.auto_review.auto_pause_after_reviewed_commits": "assay reviews every push that the triggers allow, and comments less from the " +
		"third review on (docs/engine/routes.md)",
	"reviews.auto_review.ignore_title_keywords": reasonTitles,
	"reviews.auto_review.description_keyword":   reasonTitles,
	"reviews.tools":                               reasonAnalysis,
	"reviews.finishing_touches":                   "assay does not write code into a repository",
	"reviews.pre_merge_checks":                    "make each check a rule, or an acceptance criterion of an issue",
	"knowledge_base.code_guidelines.filePatterns": "assay reads a fixed list of guideline files (docs/guidelines.md)",
	"knowledge_base.jira":                         reasonTickets,
	"knowledge_base.linear":                       reasonTickets,
	"knowledge_base.issues":                       reasonTickets,
	"knowledge_base.learnings":                    "assay remembers what people decide about findings and has no setting for it",
	"knowledge_base.opt_out":                      "assay remembers what people decide about findings and has no setting for it",
	"knowledge_base.mcp":                          "tool servers are connected by the tenant (docs/tool-servers.md)",
	"knowledge_base.pull_requests":                reasonReads,
	"knowledge_base.web_search":                   reasonReads,
}

// prAgent maps .pr_agent.toml (PR-Agent, configuration.toml).
var prAgent = map[string]handler{
	"config.response_language":        text("language"),
	"config.ignore_pr_authors":        names("triggers.excludedAuthors", maxAuthors),
	"ignore.glob":                     ignores(commas, fromFnmatch),
	"pr_reviewer.extra_instructions":  ignored,
	"pr_reviewer.num_max_findings":    number("maxInlineComments", 0, maxInline),
	"github_app.handle_push_trigger":  truth("triggers.push"),
	"gitlab.handle_push_trigger":      truth("triggers.push"),
	"gitea.handle_push_trigger":       truth("triggers.push"),
	"github_app.feedback_on_draft_pr": truth("triggers.draft"),
	"pr_code_suggestions.commitable_code_suggestions": func(m *mapper, at Source, v any) string {
		on, ok := v.(bool)
		if !ok {
			return "must be true or false"
		}
		return m.set(at, "fixes", map[bool]string{true: "suggestions", false: "off"}[on])
	},
}

var prAgentReasons = map[string]string{
	"config.model":                           reasonModels,
	"config.fallback_models":                 reasonModels,
	"config.model_reasoning":                 reasonModels,
	"config.model_weak":                      reasonModels,
	"config.model_turbo":                     reasonModels,
	"config.custom_model_max_tokens":         reasonModels,
	"config.max_model_tokens":                reasonModels,
	"config.ai_timeout":                      reasonModels,
	"config.large_patch_policy":              "assay reviews large changes in parts, by their risk",
	"config.add_repo_metadata":               "assay reads guideline files of its own list (docs/guidelines.md), if guidelineFiles is on",
	"config.add_repo_metadata_file_list":     "assay reads guideline files of its own list (docs/guidelines.md), if guidelineFiles is on",
	"config.ignore_pr_title":                 reasonTitles,
	"config.ignore_pr_labels":                reasonLabels,
	"config.ignore_pr_target_branches":       reasonBranches,
	"config.ignore_pr_source_branches":       "assay does not choose pull requests by their source branch",
	"ignore.regex":                           "assay has patterns of paths (paths.exclude), not regular expressions",
	"github_app.pr_commands":                 "assay has one kind of review, which the triggers of the policy start",
	"github_app.push_commands":               "assay has one kind of review, which the triggers of the policy start",
	"github_app.handle_pr_actions":           "set triggers.opened and triggers.ready of the policy",
	"github_action_config":                   reasonService,
	"pr_reviewer":                            "the form of assay's review is fixed",
	"pr_code_suggestions":                    "assay suggests changes with its findings; fixes says whether",
	"gitlab.pr_commands":                     "assay has one kind of review, which the triggers of the policy start",
	"pr_description":                         "assay does not write descriptions of pull requests",
	"pr_questions":                           reasonChat,
	"pr_code_suggestions.extra_instructions": "assay reads extra_instructions of [pr_reviewer]: make the text a rule",
	"pr_update_changelog":                    "assay does not write changelogs",
	"pr_add_docs":                            "assay does not write code into a repository",
}

// greptile maps greptile.json (greptile.com/docs, "greptile.json reference").
var greptile = map[string]handler{
	"instructions":        ignored,
	"customContext.rules": ignored,
	"ignorePatterns":      ignores(lines, fromGitignore),
	"excludeAuthors":      names("triggers.excludedAuthors", maxAuthors),
	"includeBranches":     names("triggers.targetBranches", maxNames),
	"labels":              labels,
	"triggerOnUpdates":    truth("triggers.push"),
	"triggerOnDrafts":     truth("triggers.draft"),
	"strictness": func(m *mapper, at Source, v any) string {
		n, _ := v.(int64)
		profile, ok := map[int64]string{1: "assertive", 2: "balanced", 3: "quiet"}[n]
		if !ok {
			return "must be 1, 2 or 3"
		}
		return m.set(at, "profile", profile)
	},
	"skipReview": func(m *mapper, at Source, v any) string {
		if v != "AUTOMATIC" {
			return "must be AUTOMATIC"
		}
		return automatic(m, at, false)
	},
}

var greptileReasons = map[string]string{
	"comment":             reasonSummary,
	"commentTypes":        "choose with categories of the policy: maintainability for style, bug for logic",
	"customContext.files": "assay reads a fixed list of guideline files (docs/guidelines.md)",
	"customContext.other": "assay does not read texts that are neither rules nor files",
	"disabledLabels":      reasonLabels,
	"excludeBranches":     reasonBranches,
	"fileChangeLimit":     "assay reviews large changes in parts, by their risk",
	"ignoreKeywords":      reasonTitles,
	"includeAuthors":      "assay has authors who are not reviewed (triggers.excludedAuthors), not a list of those who are",
	"includeKeywords":     reasonTitles,
	"statusCheck":         "every review of assay ends a check",
	"summarySection":      reasonSummary,

	"confidenceScoreSection": reasonSummary,
	"issuesTableSection":     reasonSummary,
	"sequenceDiagramSection": reasonSummary,
	"statusCommentsEnabled":  reasonSummary,

	"updateExistingSummaryComment": "assay has one summary for a pull request and keeps it up to date",

	"shouldUpdateDescription": reasonTitle,
	"patternRepositories":     reasonReads,
	"context":                 reasonReads,
	"fixWithAI":               "findings of assay have a text for coding agents in assay review and its tools (docs/assistants.md)",
}

// gemini maps .gemini/config.yaml (Gemini Code Assist, "Customize Gemini Code Assist in GitHub").
var gemini = map[string]handler{
	"ignore_patterns": ignores(lines, fromGlob),
	"code_review.disable": func(m *mapper, at Source, v any) string {
		off, ok := v.(bool)
		if !ok {
			return "must be true or false"
		}
		if off {
			return "says that Gemini does not review; whether assay does is the setting enabled of the policy"
		}
		return ""
	},
	"code_review.comment_severity_threshold": choice("minSeverity", map[string]string{"low": "low", "medium": "medium", "high": "high",
		"critical": "critical"}),
	"code_review.max_review_comments": func(m *mapper, at Source, v any) string {
		if v == int64(-1) {
			return fmt.Sprintf("means no limit: assay has at most %d comments on lines in a review (maxInlineComments)", maxInline)
		}
		return number("maxInlineComments", 0, maxInline)(m, at, v)
	},
	"code_review.pull_request_opened.code_review":    automatic,
	"code_review.pull_request_opened.include_drafts": truth("triggers.draft"),
}

var geminiReasons = map[string]string{
	"have_fun":                                reasonTone,
	"memory_config":                           "assay remembers what people decide about findings and has no setting for it",
	"code_review.pull_request_opened.help":    "assay does not post a help text",
	"code_review.pull_request_opened.summary": reasonSummary,
}

// Maximum numbers of the policy.
const (
	maxAuthors = 200
	maxNames   = 50
	maxInline  = 40
)

// text maps a text to a setting.
func text(setting string) handler {
	return func(m *mapper, at Source, v any) string {
		s, ok := v.(string)
		if !ok {
			return "must be a text"
		}
		return m.set(at, setting, s)
	}
}

// automatic maps whether reviews start by themselves.
func automatic(m *mapper, at Source, v any) string {
	on, ok := v.(bool)
	if !ok {
		return "must be true or false"
	}
	if on { // a push is a setting of its own
		return m.set(at, "triggers.opened", true)
	}
	for _, trigger := range []string{"triggers.opened", "triggers.push", "triggers.ready"} {
		if reason := m.set(at, trigger, false); reason != "" {
			return reason
		}
	}
	return ""
}

// incremental maps whether a push starts a review. It starts none where reviews do not start by themselves.
func incremental(m *mapper, at Source, v any) string {
	if on, _ := m.at("reviews.auto_review.enabled"); on == false {
		return ""
	}
	return truth("triggers.push")(m, at, v)
}

// labels maps labels; a pull request needs one of them.
func labels(m *mapper, at Source, v any) string {
	list, ok := texts(v)
	if !ok || len(list) > maxNames {
		return "must be a list of at most 50 texts"
	}
	var wanted []string
	for _, l := range list {
		if strings.HasPrefix(l, "!") {
			m.drop(at, "has labels that prevent a review: "+reasonLabels)
			continue
		}
		wanted = append(wanted, l)
	}
	if len(wanted) == 0 {
		return ""
	}
	return m.set(at, "triggers.labels", wanted)
}
