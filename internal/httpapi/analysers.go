package httpapi

import "context"

// ConfiguredAnalyser is an analyser that the operator has set up. Policies switch it on by its name.
type ConfiguredAnalyser struct {
	Name      string   `json:"name" doc:"For deterministic.analysers of a policy"`
	Program   string   `json:"program" doc:"File name of the program, without its folder"`
	Version   string   `json:"version" doc:"Version that the program must have; empty for any"`
	Languages []string `json:"languages" doc:"Languages of the files that it gets"`
	Paths     []string `json:"paths" doc:"Patterns of further files that it gets"`
}

// ConfiguredAnalysers lists the analysers that the operator has set up.
type ConfiguredAnalysers struct {
	Items []ConfiguredAnalyser `json:"items"`
}

func (s *server) configuredAnalysers(context.Context, *struct{}) (*Read[ConfiguredAnalysers], error) {
	return &Read[ConfiguredAnalysers]{ConfiguredAnalysers{append([]ConfiguredAnalyser{}, s.Analysers...)}}, nil
}
