package simapi

import (
	"fmt"
	"slices"
)

// RunSpec makes a run of a workflow of the host's own CI for a commit.
type RunSpec struct {
	// Workflow is the name of the workflow; its file is ".github/workflows/<name>.yml", or the host's
	// equivalent.
	Workflow string    `json:"workflow"`
	Commit   string    `json:"commit"`
	Branch   string    `json:"branch,omitempty"`
	Jobs     []JobSpec `json:"jobs"`
}

// JobSpec is a job of a run.
type JobSpec struct {
	Name string `json:"name"`
	// Status is "queued", "in_progress" or "completed" (default); Conclusion belongs to the last ("success" if
	// empty).
	Status     string `json:"status,omitempty"`
	Conclusion string `json:"conclusion,omitempty"`
	// Log is the log; Pad bytes of filler lines precede it. Gone means that the host has deleted it.
	Log   string   `json:"log,omitempty"`
	Pad   int      `json:"pad,omitempty"`
	Gone  bool     `json:"gone,omitempty"`
	Steps []string `json:"steps,omitempty"`
}

// Run is a new run, with the ids of its jobs in order.
type Run struct {
	ID   int64   `json:"id"`
	Jobs []int64 `json:"jobs"`
}

// Check returns an error for the first wrong field.
func (s RunSpec) Check() error {
	if s.Workflow == "" || s.Commit == "" {
		return fmt.Errorf("workflow, commit: must not be empty")
	}
	for _, j := range s.Jobs {
		if j.Name == "" || !slices.Contains([]string{"", "queued", "in_progress", "completed"}, j.Status) || j.Pad < 0 || j.Pad > 256<<20 {
			return fmt.Errorf("jobs: each needs a name, a status of the host, and at most 256 MiB of filler")
		}
	}
	return nil
}
