package httpapi

import "time"

// The bodies of routes that are not built yet: described, so that programs can
// be written against them, and read by nothing.

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
