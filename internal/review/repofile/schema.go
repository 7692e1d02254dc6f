package repofile

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/policy"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a file, for editors. It is weaker than [Parse], which also checks
// patterns, languages and the bounds of the whole file.
func Schema() []byte {
	properties := schema{}
	for _, s := range policy.FileSettings() {
		group, rest, nested := strings.Cut(s.Name, ".")
		if !nested {
			properties[s.Name] = valueSchema(s.Name)
			continue
		}
		if properties[group] == nil {
			properties[group] = object(schema{})
		}
		properties[group].(schema)["properties"].(schema)[rest] = valueSchema(s.Name)
	}
	patterns := list("Patterns of the files that it covers; none: every file", maxPaths)
	properties[policy.FileRules] = entrySchema("Rules that a model checks", schema{"title": text("The name", maxTitle),
		"instruction": text("What the code must do, in plain language", maxInstruction), "paths": patterns,
		"languages": list("Languages of the files that it covers, such as go; none: every language", maxLanguages),
		"severity": schema{"enum": []string{"critical", "high", "medium", "low", "info"},
			"description": "Severity of its findings; low if absent"},
	}, "title", "instruction")
	properties[policy.FileInstructions] = entrySchema("Texts about folders, which a model reads as rules of severity low",
		schema{"paths": patterns, "text": text("What holds there, in plain language", maxInstruction)}, "text")
	properties[policy.FileFolders] = entrySchema("Analysers that are off for files", schema{"paths": patterns,
		"analysersOff": list("Names of analysers that do not get these files, such as shellcheck", maxAnalysersOff)}, "paths", "analysersOff")
	top := object(properties)
	top["$schema"], top["title"] = "https://json-schema.org/draft/2020-12/schema", "Settings of assay in a repository (.assay.yaml)"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(top); err != nil {
		return nil // unreachable: the schema has only texts, numbers and lists
	}
	return b.Bytes()
}

func object(properties schema) schema {
	return schema{"type": "object", "additionalProperties": false, "properties": properties}
}

func list(meaning string, most int) schema {
	return schema{"type": "array", "maxItems": most, "items": schema{"type": "string"}, "description": meaning}
}

func text(meaning string, most int) schema {
	return schema{"type": "string", "minLength": 1, "maxLength": most, "description": meaning}
}

func entrySchema(meaning string, properties schema, required ...string) schema {
	entry := object(properties)
	entry["required"] = required
	return schema{"type": "array", "maxItems": maxRules, "items": entry, "description": meaning}
}

func valueSchema(name string) schema {
	v := policy.ValueTypeOf(name)
	if v.Type == "array" {
		return list(v.Doc, v.MaxItems)
	}
	out := schema{"type": v.Type, "description": v.Doc}
	if v.Enum != nil {
		out["enum"] = v.Enum
	}
	for key, bound := range map[string]string{"minimum": v.Min, "maximum": v.Max} {
		if n, err := strconv.ParseFloat(bound, 64); err == nil {
			out[key] = n
		}
	}
	return out
}
