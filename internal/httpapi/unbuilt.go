package httpapi

import "time"

// Bodies of routes that are not built yet. They are described so that programs can be written against them;
// the service does not read them.

// ReviewFixRequest requests fixes for findings of a run.
type ReviewFixRequest struct {
	FindingIDs []string `json:"findingIds" minItems:"1" maxItems:"50" example:"[\"fnd_example\"]"`
	Delivery   string   `json:"delivery,omitempty" enum:"suggestions,branch,commit" doc:"Absent: as the policy of the repository says" example:"suggestions"`
}

// SuppressionDecision accepts or declines a proposed suppression.
type SuppressionDecision struct {
	Decision  string     `json:"decision" enum:"accept,decline"`
	Scope     string     `json:"scope,omitempty" enum:"fingerprint,rule,category" doc:"Absent: as it was proposed" example:"fingerprint"`
	Paths     []string   `json:"paths,omitempty" maxItems:"50" doc:"Path patterns that it is limited to; none: every file" example:"[\"docs/**\"]"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"Absent: never"`
	Note      string     `json:"note,omitempty" maxLength:"2000" example:"Generated files"`
}
