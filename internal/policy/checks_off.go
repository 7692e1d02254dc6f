package policy

// placeOfOrigin names the place of a setting's value, for messages.
var placeOfOrigin = map[Origin]string{OriginTenant: "the tenant's repository defaults", OriginRepository: "the policy of the repository",
	OriginFile: FileName}

// ChecksOff lists the settings that switch deterministic checks off, each with the place of its value, such as
// "deterministic.secrets is false in .assay.yaml".
func ChecksOff(settings []Setting) (lines []string) {
	for _, s := range settings {
		if (s.Name == "deterministic.secrets" || s.Name == "deterministic.staticAnalysis") && string(s.Value) == "false" {
			lines = append(lines, s.Name+" is false in "+placeOfOrigin[s.Origin])
		}
	}
	return lines
}
