package httpapi

import "time"

// The bodies of routes that are not built yet: described, so that programs can
// be written against them, and read by nothing.

// ApprovalDecision approves or rejects an output that waits.
type ApprovalDecision struct {
	Digest string        `json:"digest" minLength:"1" maxLength:"100" doc:"Of the output that was looked at, as the list of approvals shows it" example:"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"`
	Note   string        `json:"note,omitempty" maxLength:"2000" doc:"Why, for the audit log" example:"The second finding is known"`
	Drop   []string      `json:"drop,omitempty" maxItems:"200" doc:"Ids of findings that are left out" example:"[\"fnd_example\"]"`
	Edit   []FindingEdit `json:"edit,omitempty" maxItems:"200" doc:"Findings that are published with other words"`
}

// FindingEdit replaces words of one finding.
type FindingEdit struct {
	FindingID   string  `json:"findingId" minLength:"1" maxLength:"100" example:"fnd_example"`
	Title       *string `json:"title,omitempty" minLength:"1" maxLength:"200" doc:"Absent: stays"`
	Explanation *string `json:"explanation,omitempty" minLength:"1" maxLength:"4000" doc:"Absent: stays"`
}

// ReviewFixRequest asks for fixes of findings of a run.
type ReviewFixRequest struct {
	FindingIDs []string `json:"findingIds" minItems:"1" maxItems:"50" example:"[\"fnd_example\"]"`
	Delivery   string   `json:"delivery,omitempty" enum:"suggestions,branch,commit" doc:"Absent: as the policy of the repository says" example:"suggestions"`
}

// SuppressionDecision accepts or declines what was proposed to be left out of
// later reviews.
type SuppressionDecision struct {
	Decision  string     `json:"decision" enum:"accept,decline"`
	Scope     string     `json:"scope,omitempty" enum:"fingerprint,rule,category" doc:"Absent: as it was proposed" example:"fingerprint"`
	Paths     []string   `json:"paths,omitempty" maxItems:"50" doc:"Path patterns that it is limited to; none: every file" example:"[\"docs/**\"]"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"Absent: never"`
	Note      string     `json:"note,omitempty" maxLength:"2000" example:"Generated files"`
}
