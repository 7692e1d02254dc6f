package sarif

import (
	"encoding/json"
	"io"
	"net/url"
)

// The used parts of the format, for writing. [Log.Write] fills in the schema and the version.
type (
	// Log is a SARIF log.
	Log struct {
		Schema  string   `json:"$schema"`
		Version string   `json:"version"`
		Runs    []LogRun `json:"runs"`
	}
	// LogRun is one run of a tool.
	LogRun struct {
		Tool        LogTool         `json:"tool"`
		Results     []LogResult     `json:"results"`
		ColumnKind  string          `json:"columnKind"`
		Invocations []LogInvocation `json:"invocations"`
	}
	// LogTool names the tool of a run.
	LogTool struct {
		Driver LogDriver `json:"driver"`
	}
	// LogDriver is the program of a tool.
	LogDriver struct {
		Name    string    `json:"name"`
		Version string    `json:"version,omitempty"`
		Rules   []LogRule `json:"rules"`
	}
	// LogRule describes the kind of a result.
	LogRule struct {
		ID         string        `json:"id"`
		Name       string        `json:"name"`
		Short      LogText       `json:"shortDescription"`
		Default    LogLevel      `json:"defaultConfiguration"`
		Help       string        `json:"helpUri,omitempty"`
		Properties LogProperties `json:"properties"`
	}
	// LogLevel is the default level of a rule.
	LogLevel struct {
		Level string `json:"level"`
	}
	// LogText is a text for people.
	LogText struct {
		Text string `json:"text"`
	}
	// LogProperties are facts beyond the format.
	LogProperties struct {
		Tags     []string `json:"tags,omitempty"`
		Security string   `json:"security-severity,omitempty"` // 0.0 to 10.0, read by GitHub code scanning
		Severity string   `json:"severity,omitempty"`
		Conf     *float64 `json:"confidence,omitempty"`
		Verdict  string   `json:"verdict,omitempty"`
		Route    string   `json:"route,omitempty"`
	}
	// LogResult is a problem.
	LogResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      LogText           `json:"message"`
		Locations    []LogLocation     `json:"locations,omitempty"`
		Related      []LogLocation     `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Fixes        []LogFix          `json:"fixes,omitempty"`
		Properties   LogProperties     `json:"properties"`
	}
	// LogLocation is a place in a file.
	LogLocation struct {
		ID       int         `json:"id,omitempty"`
		Physical LogPhysical `json:"physicalLocation"`
		Message  *LogText    `json:"message,omitempty"`
	}
	// LogPhysical is a file, or lines of it.
	LogPhysical struct {
		Artifact LogArtifact `json:"artifactLocation"`
		Region   *LogRegion  `json:"region,omitempty"`
	}
	// LogArtifact is the address of a file; see [FileURI].
	LogArtifact struct {
		URI string `json:"uri"`
	}
	// LogRegion is a range of lines.
	LogRegion struct {
		StartLine int      `json:"startLine"`
		EndLine   int      `json:"endLine,omitempty"`
		Snippet   *LogText `json:"snippet,omitempty"`
	}
	// LogFix is a proposed change.
	LogFix struct {
		Description LogText     `json:"description"`
		Changes     []LogChange `json:"artifactChanges"`
	}
	// LogChange is the part of a fix for one file.
	LogChange struct {
		Artifact     LogArtifact      `json:"artifactLocation"`
		Replacements []LogReplacement `json:"replacements"`
	}
	// LogReplacement replaces lines.
	LogReplacement struct {
		Deleted  LogRegion `json:"deletedRegion"`
		Inserted *LogText  `json:"insertedContent,omitempty"`
	}
	// LogInvocation describes how a tool ran. Programs that import a log close findings that a successful run no longer has, so an
	// incomplete run must not count as successful.
	LogInvocation struct {
		Successful    bool              `json:"executionSuccessful"`
		Start         string            `json:"startTimeUtc,omitempty"` // RFC 3339
		End           string            `json:"endTimeUtc,omitempty"`
		Notifications []LogNotification `json:"toolExecutionNotifications,omitempty"`
	}
	// LogNotification is what a tool reports about its run.
	LogNotification struct {
		Level   string  `json:"level"`
		Message LogText `json:"message"`
	}
)

// NewRun returns an empty run of a tool that succeeded.
func NewRun(tool, version string) LogRun {
	return LogRun{ColumnKind: "unicodeCodePoints", Results: []LogResult{},
		Tool:        LogTool{LogDriver{Name: tool, Version: version, Rules: []LogRule{}}},
		Invocations: []LogInvocation{{Successful: true}}}
}

// logSchema is the address of the official schema.
const logSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Write writes the log as indented JSON.
func (l Log) Write(w io.Writer) error {
	l.Schema, l.Version = logSchema, "2.1.0"
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(l)
}

// FileURI returns a relative reference (RFC 3986, section 4.2) to a file of the repository. If its first part has a colon, it
// begins with "./", because it would otherwise read as a scheme.
func FileURI(path string) string { return (&url.URL{Path: path}).String() }
