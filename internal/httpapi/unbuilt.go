package httpapi

// Bodies of routes that are not built yet. They are described so that programs can be written against them;
// the service does not read them.

// ReviewFixRequest requests fixes for findings of a run.
type ReviewFixRequest struct {
	FindingIDs []string `json:"findingIds" minItems:"1" maxItems:"50" example:"[\"fnd_example\"]"`
	Delivery   string   `json:"delivery,omitempty" enum:"suggestions,branch,commit" doc:"Absent: as the policy of the repository says" example:"suggestions"`
}
