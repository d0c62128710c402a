package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// objects are the objects of the file, by kind and name.
type objects map[string]any

// parse decodes the objects. Unknown fields and kinds fail the test.
func parse(t *testing.T, text string) objects {
	t.Helper()
	all := objects{}
	for document := range strings.SplitSeq(text, "\n---\n") {
		var about struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name      string `json:"name"`
				Namespace string `json:"namespace"`
			} `json:"metadata"`
		}
		if err := yaml.Unmarshal([]byte(document), &about); err != nil {
			t.Fatal(err)
		}
		known := map[string]any{
			"v1 ConfigMap": &core.ConfigMap{}, "v1 Service": &core.Service{}, "apps/v1 StatefulSet": &apps.StatefulSet{},
			"policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{}, "networking.k8s.io/v1 NetworkPolicy": &networking.NetworkPolicy{},
		}
		object := known[about.APIVersion+" "+about.Kind]
		if object == nil {
			t.Fatalf("no type of %s %s is known", about.APIVersion, about.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
			t.Fatalf("%s %s: %v", about.Kind, about.Metadata.Name, err)
		}
		key := about.Kind + " " + about.Metadata.Name
		if all[key] != nil || about.Metadata.Namespace != "voicepool" {
			t.Errorf("%s: there twice, or in the namespace %q", key, about.Metadata.Namespace)
		}
		all[key] = object
	}
	return all
}

func TestKubernetes(t *testing.T) {
	text := string(read(t, "kubernetes.yaml"))
	checkComments(t, []byte(text))
	all := parse(t, text)
	for name, replicas := range map[string]int32{"voicepool-nats": 3, "voicepool": 2} {
		set, budget := get[*apps.StatefulSet](t, all, "StatefulSet "+name), get[*policy.PodDisruptionBudget](t, all, "PodDisruptionBudget "+name)
		service := get[*core.Service](t, all, "Service "+set.Spec.ServiceName)
		labels := set.Spec.Template.Labels
		if *set.Spec.Replicas != replicas || !matches(set.Spec.Selector.MatchLabels, labels) || !matches(budget.Spec.Selector.MatchLabels, labels) || !matches(service.Spec.Selector, labels) || service.Spec.ClusterIP != core.ClusterIPNone {
			t.Errorf("%s: %d replicas, labels %v, service %v", name, *set.Spec.Replicas, labels, service.Spec)
		}
		checkPod(t, all, set)
		for _, port := range service.Spec.Ports {
			if !slices.ContainsFunc(set.Spec.Template.Spec.Containers[0].Ports, func(p core.ContainerPort) bool { return p.ContainerPort == port.Port }) {
				t.Errorf("the service %s has a port %d, which its pods have not", service.Name, port.Port)
			}
		}
		for _, key := range regexp.MustCompile(`secretKeyRef: \{name: voicepool, key: (\w+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(text, "--from-literal="+key[1]+"=") {
				t.Errorf("nobody makes the key %s of the secret", key[1])
			}
		}
	}

	node := get[*apps.StatefulSet](t, all, "StatefulSet voicepool").Spec.Template.Spec.Containers[0]
	checkCall(t, node.Args)
	checkFile(t, fmt.Sprint(node.Ports[0].ContainerPort))
	checkDrain(t, node.Lifecycle.PreStop.Exec.Command)
	at := node.Args[slices.Index(node.Args, "--advertise")+1]
	host, port, _ := strings.Cut(at, ":")
	if i := slices.Index(node.Args, host); i < 0 || node.Args[i-1] != "--host" || port != fmt.Sprint(node.Ports[0].ContainerPort) {
		t.Errorf("it does not answer to the address %s that others are sent to", at)
	}
	// The hook takes the default --wait, and three times 5 s for NATS.
	if grace := get[*apps.StatefulSet](t, all, "StatefulSet voicepool").Spec.Template.Spec.TerminationGracePeriodSeconds; *grace < 60+3*5 {
		t.Errorf("%d s do not cover the drain", *grace)
	}
	for i := range 3 {
		at := fmt.Sprintf("voicepool-nats-%d.voicepool-nats", i)
		if !strings.Contains(text, "@"+at+":4222") || !strings.Contains(text, "nats://"+at+":6222") {
			t.Errorf("%s is missing among the servers", at)
		}
	}
	t.Setenv("POD_NAME", "voicepool-nats-0")
	t.Setenv("NATS_PASSWORD", "p0123")
	o := checkNATS(t, get[*core.ConfigMap](t, all, "ConfigMap voicepool-nats").Data["nats.conf"], "/data")
	if o.ServerName != "voicepool-nats-0" || o.Password != "p0123" || o.PidFile != "/run/nats/nats.pid" {
		t.Errorf("a server is called %q", o.ServerName)
	}
}

// checkPod checks a pod's probes, the names of its ports and volumes, and that it has no privileges.
func checkPod(t *testing.T, all objects, set *apps.StatefulSet) {
	t.Helper()
	pod := set.Spec.Template.Spec
	c := pod.Containers[0]
	checkImage(t, c.Image)
	for what, probe := range map[string]*core.Probe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe, "liveness": c.LivenessProbe} {
		if probe == nil || !slices.ContainsFunc(c.Ports, func(p core.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.StrVal }) {
			t.Errorf("%s: the %s probe is missing, or asks a port that is not there", set.Name, what)
		}
	}
	for _, mount := range c.VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == mount.Name }) &&
			!slices.ContainsFunc(set.Spec.VolumeClaimTemplates, func(v core.PersistentVolumeClaim) bool { return v.Name == mount.Name }) {
			t.Errorf("%s mounts %s, which is not there", set.Name, mount.Name)
		}
	}
	for _, v := range pod.Volumes {
		if v.ConfigMap != nil {
			get[*core.ConfigMap](t, all, "ConfigMap "+v.ConfigMap.Name)
		}
	}
	s := c.SecurityContext
	if !*pod.SecurityContext.RunAsNonRoot || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 || c.Resources.Limits.Memory().IsZero() || *pod.AutomountServiceAccountToken {
		t.Errorf("%s may do more than it needs", set.Name)
	}
	if pod.TerminationGracePeriodSeconds == nil || *pod.TerminationGracePeriodSeconds < 30 {
		t.Errorf("%s has no time to end", set.Name)
	}
}

func get[T any](t *testing.T, all objects, key string) T {
	t.Helper()
	one, found := all[key].(T)
	if !found {
		t.Fatalf("there is no %s", key)
	}
	return one
}

// matches reports whether a selector selects labels.
func matches(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

func TestUnknownFields(t *testing.T) {
	text := strings.Replace(string(read(t, "kubernetes.yaml")), "readinessProbe:", "readynessProbe:", 1)
	for document := range strings.SplitSeq(text, "\n---\n") {
		if strings.Contains(document, "readynessProbe") {
			if err := yaml.UnmarshalStrict([]byte(document), &apps.StatefulSet{}); err == nil {
				t.Fatal("an unknown field is taken")
			}
		}
	}
}
