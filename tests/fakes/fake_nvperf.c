// libnvperf_host, of which the probe only wants that it opens.
extern int fake_nvperf;
int fake_nvperf;
