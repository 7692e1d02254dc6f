package catalog

import (
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// ownRegion is the data region of the tenant's own machines.
const ownRegion = "own"

// Region is a place where data is processed, in the terms of policies.
type Region struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// DataRegions lists the regions that a policy can allow. They follow
// jurisdictions: the United Kingdom and Switzerland are not the EU.
func DataRegions() []Region {
	return []Region{
		{"eu", "European Union"}, {"uk", "United Kingdom"}, {"ch", "Switzerland"}, {"us", "United States"}, {"ca", "Canada"}, {"br", "Brazil"},
		{"in", "India"}, {"jp", "Japan"}, {"kr", "South Korea"}, {"sg", "Singapore"}, {"au", "Australia"}, {"ae", "United Arab Emirates"},
		{ownRegion, "Own machines"},
	}
}

// IsDataRegion reports whether a region is listed.
func IsDataRegion(id string) bool {
	for _, r := range DataRegions() {
		if r.ID == id {
			return true
		}
	}
	return false
}

// CloudRegion is a region of Amazon Bedrock that has API keys.
type CloudRegion struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	DataRegion string `json:"dataRegion"`
}

// CloudRegions lists the regions in the order of the forms, Europe first. Source:
// https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-supported.html
func CloudRegions() []CloudRegion {
	return []CloudRegion{
		{"eu-central-1", "Frankfurt", "eu"}, {"eu-west-1", "Ireland", "eu"}, {"eu-west-2", "London", "uk"}, {"eu-west-3", "Paris", "eu"},
		{"eu-north-1", "Stockholm", "eu"}, {"eu-south-1", "Milan", "eu"}, {"eu-central-2", "Zurich", "ch"}, {"eu-south-2", "Spain", "eu"},
		{"us-east-1", "N. Virginia", "us"}, {"us-west-2", "Oregon", "us"}, {"ca-central-1", "Canada Central", "ca"},
		{"sa-east-1", "São Paulo", "br"},
		{"ap-northeast-1", "Tokyo", "jp"}, {"ap-northeast-2", "Seoul", "kr"}, {"ap-northeast-3", "Osaka", "jp"}, {"ap-south-1", "Mumbai", "in"},
		{"ap-south-2", "Hyderabad", "in"}, {"ap-southeast-1", "Singapore", "sg"}, {"ap-southeast-2", "Sydney", "au"},
	}
}

// CloudRegionOf returns the region with an id, and false if it is not offered.
func CloudRegionOf(id string) (CloudRegion, bool) {
	for _, r := range CloudRegions() {
		if r.ID == id {
			return r, true
		}
	}
	return CloudRegion{}, false
}

// OfficialRegions are the data regions for which OpenAI has a separate endpoint (openai-go,
// option/data_residency.go).
func OfficialRegions() []string { return []string{"us", "eu"} }

// Key holds the fields of a model key that decide where its calls go.
type Key struct {
	Kind, Preset, BaseURL, Resource, Region, DataRegion string
}

// Where returns the region in which calls with the key are processed, "" if unknown. For OpenAI and Bedrock it
// follows from the endpoint; for the others the administrator declares it.
func (k Key) Where() string {
	if k.Kind == Bedrock {
		r, _ := CloudRegionOf(k.Region)
		return r.DataRegion
	}
	return k.DataRegion
}

// Leaves reports whether calls of the model can be processed outside of the
// key's region: Bedrock's global inference profiles go anywhere
// (https://docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html).
func (k Key) Leaves(model string) bool {
	return k.Kind == Bedrock && strings.HasPrefix(model, "global.")
}

var resourceName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$`)

// IsResource reports whether a text can be the name of an Azure resource, because the name becomes the first
// label of a host name.
func IsResource(name string) bool { return resourceName.MatchString(name) }

// Endpoint returns the address of calls with the key, without a slash at the end; "" if the key does not
// determine it completely.
func (k Key) Endpoint() string {
	switch k.Kind {
	case OpenAI:
		if k.DataRegion != "" {
			return "https://" + k.DataRegion + ".api.openai.com/v1" // openai-go, option/data_residency.go
		}
	case Azure:
		if k.BaseURL != "" {
			return azureBase(strings.TrimRight(k.BaseURL, "/"))
		}
		if k.Resource == "" {
			return ""
		}
		return azureBase("https://" + k.Resource + ".openai.azure.com")
	case Bedrock:
		if k.Region == "" {
			return ""
		}
		return "https://bedrock-runtime." + k.Region + ".amazonaws.com" // aws-sdk-go-v2/service/bedrockruntime, endpoints
	case Compatible:
		return strings.TrimRight(k.BaseURL, "/")
	}
	kind, _ := KindOf(k.Kind)
	return kind.Endpoint
}

// azureBase adds the path of the version to an endpoint that lacks it, because Azure's portal shows it that
// way (Azure/azure-rest-api-specs, azure-v1-v1-generated.yaml, servers). An address with another path, such as
// a gateway's, stays unchanged.
func azureBase(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	switch strings.ToLower(u.Path) {
	case "":
		return endpoint + "/openai/v1"
	case "/openai":
		return endpoint + "/v1"
	}
	return endpoint
}

// CallPath returns the path of a call at the end of an address that was entered as a whole instead of as a
// base URL; "" for a base URL.
func CallPath(address string) string {
	address = strings.ToLower(strings.TrimRight(address, "/"))
	for _, p := range []string{"/chat/completions", "/completions", "/responses", "/embeddings", "/models", "/messages"} {
		if strings.HasSuffix(address, p) {
			return p
		}
	}
	return ""
}
