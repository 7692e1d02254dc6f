package analysers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/sarif"
)

// span is a part of a file in ast-grep's JSON. Lines and columns begin with 0.
type span struct {
	Bytes struct{ Start, End int }   `json:"byteOffset"`
	Start struct{ Line int }         `json:"start"`
	End   struct{ Line, Column int } `json:"end"`
}

// astGrepMatch is a line of the format stream of ast-grep.
type astGrepMatch struct {
	RuleID        string `json:"ruleId"`
	File          string `json:"file"`
	Text          string `json:"text"`
	Range         span   `json:"range"`
	MetaVariables struct {
		Multi map[string][]struct {
			Range span `json:"range"`
		} `json:"multi"`
	} `json:"metaVariables"`
}

// fromMatches reads the format stream of ast-grep. The messages of results are hashes of the code that was matched.
func fromMatches(raw []byte) (sarif.Document, error) {
	run := sarif.Run{Tool: "ast-grep", Successful: true}
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var m astGrepMatch
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return sarif.Document{Runs: []sarif.Run{run}}, nil
		} else if err != nil {
			return sarif.Document{}, errors.New("a line is not a match in JSON")
		}
		if len(run.Results) == sarif.DefaultLimits().Results {
			run.CutResults++
			continue
		}
		first, last := m.Range.Start.Line+1, m.Range.End.Line+1
		if m.Range.End.Column == 0 && last > first { // the match ends with the end of a line
			last--
		}
		run.Results = append(run.Results, result(m.RuleID, sarif.LevelNote, m.about(), m.File, first, last))
	}
}

// about returns a hash of the matched code, with its spaces joined and without the parts that $$$ stands for.
func (m astGrepMatch) about() string {
	code, left := []byte(m.Text), make([]byte, 0, len(m.Text))
	gap := make([]bool, len(code))
	for _, parts := range m.MetaVariables.Multi {
		if len(parts) == 0 {
			continue
		}
		from := parts[0].Range.Bytes.Start - m.Range.Bytes.Start
		to := parts[len(parts)-1].Range.Bytes.End - m.Range.Bytes.Start
		for i := max(from, 0); i < min(to, len(code)); i++ {
			gap[i] = true
		}
	}
	for i, b := range code {
		if !gap[i] {
			left = append(left, b)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(string(left)), " ")))
	return hex.EncodeToString(sum[:])
}
