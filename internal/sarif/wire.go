package sarif

// The parts of the format that the reader uses.
type (
	wireText struct {
		Text string `json:"text"`
	}
	wireProperties struct {
		Security loose                 `json:"security-severity"`
		Tags     list[string, several] `json:"tags"`
	}
	wireRule struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Short    wireText `json:"shortDescription"`
		Full     wireText `json:"fullDescription"`
		Help     string   `json:"helpUri"`
		Defaults struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Messages   dictionary[wireText, several] `json:"messageStrings"`
		Properties wireProperties                `json:"properties"`
	}
	wireDriver struct {
		Name            string               `json:"name"`
		Version         loose                `json:"version"`
		SemanticVersion loose                `json:"semanticVersion"`
		Rules           list[wireRule, lots] `json:"rules"`
	}
	wireExtension struct {
		Rules list[wireRule, many] `json:"rules"`
	}
	wireTool struct {
		Driver     wireDriver                   `json:"driver"`
		Extensions list[wireExtension, several] `json:"extensions"`
	}
	wireArtifact struct {
		URI   string `json:"uri"`
		Base  string `json:"uriBaseId"`
		Index *int   `json:"index"`
	}
	wireRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine"`
	}
	wireLocation struct {
		Physical struct {
			Artifact wireArtifact `json:"artifactLocation"`
			Region   wireRegion   `json:"region"`
		} `json:"physicalLocation"`
		Message wireText `json:"message"`
	}
	wireStep struct {
		Location wireLocation `json:"location"`
	}
	wireThread struct {
		Steps list[wireStep, several] `json:"locations"`
	}
	wireFlow struct {
		Threads list[wireThread, single] `json:"threadFlows"`
	}
	wireSuppression struct {
		Status string `json:"status"`
	}
	wireReference struct {
		ID        string `json:"id"`
		Index     *int   `json:"index"`
		Component struct {
			Index *int `json:"index"`
		} `json:"toolComponent"`
	}
	wireMessage struct {
		Text      string                `json:"text"`
		ID        string                `json:"id"`
		Arguments list[string, several] `json:"arguments"`
	}
	wireResult struct {
		RuleID       string                         `json:"ruleId"`
		RuleIndex    *int                           `json:"ruleIndex"`
		Rule         wireReference                  `json:"rule"`
		Kind         string                         `json:"kind"`
		Level        string                         `json:"level"`
		Message      wireMessage                    `json:"message"`
		Locations    list[wireLocation, single]     `json:"locations"`
		Partial      dictionary[string, several]    `json:"partialFingerprints"`
		Whole        dictionary[string, several]    `json:"fingerprints"`
		Suppressions list[wireSuppression, several] `json:"suppressions"`
		Baseline     string                         `json:"baselineState"`
		Flows        list[wireFlow, single]         `json:"codeFlows"`
	}
	wireNotification struct {
		Level   string      `json:"level"`
		Message wireMessage `json:"message"`
	}
	wireInvocation struct {
		Successful    *bool                           `json:"executionSuccessful"`
		Start         string                          `json:"startTimeUtc"`
		End           string                          `json:"endTimeUtc"`
		Execution     list[wireNotification, several] `json:"toolExecutionNotifications"`
		Configuration list[wireNotification, several] `json:"toolConfigurationNotifications"`
	}
	wireFile struct {
		Location wireArtifact `json:"location"`
	}
)

// wireRun is a run without its results, which are read one by one.
type wireRun struct {
	tool        wireTool
	bases       dictionary[wireArtifact, several]
	artifacts   list[wireFile, lots]
	invocations list[wireInvocation, several]
	results     []wireResult
	cut, broken int
	shapeless   bool // its results are not an array
}
