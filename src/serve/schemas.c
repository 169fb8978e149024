/* schemas.c -- what answers look like; schema.h says how to read it. */
#include "serve/schema.h"

#include <stddef.h>

#define ENERGY "energy_mj?:n,avg_power_mw?:n,energy_method?:s"

/* Of a run, in every answer that holds one. */
#define RUN                                                                   \
    "run_id:s,timestamp:s,"                                                   \
    "status:'running|complete|interrupted|failed|killed',model_name?:s,"      \
    "models:[s],prompt?:s,response?:s,experiment_name?:s,tags?:s,"            \
    "profiling_depth?:s,total_duration_ms?:n,total_energy_mj?:n,"             \
    "avg_power_mw?:n,energy_method?:s,command:s,duration_ns?:i,exit_code?:i," \
    "signal?:i,peak_rss_bytes?:i,input_tokens?:i,output_tokens?:i,"           \
    "host_name?:s,inferences:i,failed:i,figures?:o,"                          \
    "directory?:s,note?:s,version?:s,host?:o"

const struct schema schemas[] = {
    { "Problem", "{title:s,status:i,code:s,detail:s,parameter?:s}" },
    { "Run", "{" RUN "}" },
    { "Patch", "{tags?:s,experimentName?:s,note?:s}" },
    { "Control", "{run_id:s,live:b,paused?:b,rate_hz?:n,ops?:a,"
                 "missing:[Missing]}" },
    { "ControlWish", "{paused?:b,rate_hz?:n,ops?:a,stop?:b}" },
    { "Generate",
            "{prompt:s,modelPath:s,profilingDepth?:'off|module|deep',tags?:s,"
            "experimentName?:s,requireEnergy?:b,config?:{temperature?:n,"
            "top_k?:i,top_p?:n,min_p?:n,repetition_penalty?:n,"
            "max_new_tokens?:i,seed?:i,greedy?:b,stop?:[s],chat?:b,"
            "system?:s}}" },
    { "Generated", "{runId:s,response?:s,message:s,status?:s}" },
    { "PowerSample",
            "{id?:i,timestamp:s,time_ns:i,cpu_power_mw?:n,gpu_power_mw?:n,"
            "ane_power_mw?:n,dram_power_mw?:n,total_power_mw?:n,phase:s,"
            "method:s}" },
    { "Section", "{id:i,phase:s,section_name?:s,start_time_ms:n,end_time_ms:n,"
                 "duration_ms:n," ENERGY ",process?:i,thread?:i,"
                 "duration_percentage?:n,energy_percentage?:n,parent_id?:i,"
                 "derived?:b,sections?:[o]}" },
    { "DeepOperation", "{id:i,operation_type:s,operation_name:s,count:i,"
                       "duration_ms:n," ENERGY ",graph?:s,"
                       "attention_entropy?:n,attention_sparsity?:n,"
                       "max_attention_weight?:n,"
                       "attention_entropy_per_head?:[n],"
                       "attention_sparsity_per_head?:[n],"
                       "max_attention_weight_per_head?:[n],"
                       "activation_kill_ratio?:n,variance_ratio?:n}" },
    { "Component", "{id:i,component_name:s,count:i,duration_ms:n," ENERGY
                   ",activation_mean?:n,activation_std?:n,activation_max?:n,"
                   "activation_sparsity?:n,"
                   "deep_operations?:[DeepOperation]}" },
    { "Layer", "{id:i,layer_index:i,duration_ms:n," ENERGY
               ",activation_mean?:n,activation_std?:n,activation_max?:n,"
               "activation_sparsity?:n,components?:[Component]}" },
    { "Token", "{id:i,token_index:i,token_text?:s,vocabulary_id?:i,"
               "duration_ms?:n,end_time_ms:n," ENERGY ",probability?:n,"
               "layers_ns?:i,between_ns?:i,outside_ns?:i,layers?:[Layer]}" },
    { "RunNested", "{run?:Run,power_samples?:[PowerSample],"
                   "pipeline_sections?:[Section],tokens?:[Token]}" },
    { "RunSummary",
            "{" RUN ",phase_breakdown:[{phase:s,total_duration_ms:n,"
            "total_energy_mj?:n,avg_power_mw?:n,section_count:i}],"
            "layer_averages:[{layer_index:i,avg_duration_ms:n,"
            "avg_energy_mj?:n,avg_power_mw?:n,token_count:i}],"
            "component_averages:[ComponentAverage],"
            "hottest_components:[ComponentAverage],tokens_per_second?:n,"
            "decode_tokens_per_second?:n,run_duration_ms?:n,"
            "run_energy_mj?:n}" },
    { "ComponentAverage",
            "{component_name:s,avg_duration_ms:n,avg_energy_mj?:n,"
            "avg_power_mw?:n,occurrence_count:i}" },
    { "Pipeline", "{run_id:s,total_duration_ms:n,total_energy_mj?:n,"
                  "phases:[{phase:s,total_duration_ms:n,total_energy_mj?:n,"
                  "avg_power_mw?:n,section_count:i,duration_percentage?:n,"
                  "energy_percentage?:n,sections:[Section]}]}" },
    { "System",
            "{timestamp_ns:i,cpu_percent?:n,memory_percent?:n,gpu_percent?:n,"
            "npu_percent?:n,gpu_memory_mb?:n,process_memory_mb?:n}" },
    { "Inference",
            "{timestamp_ns:i,model_name?:s,session_id:s,inference_id:s,"
            "latency:{end_to_end_ms:n,inference_only_ms?:n,"
            "percentiles?:{p50?:n,p90?:n,p95?:n,p99?:n,p99_9?:n},jitter?:n},"
            "energy?:o,hardware?:o,"
            "batch_context?:{batch_size:i,padding_ratio?:n,queue_depth?:i},"
            "run_id:s,number:i,phase:s,traced?:b,error?:s}" },
    { "Operation",
            "{operation_id:s,operation_type?:s,"
            "provider?:'CPU|GPU|NPU|Mixed',start_time_ns?:i,duration_ms?:n,"
            "cycles?:i,input_shapes?:[[i]],output_shapes?:[[i]],"
            "memory_bytes?:i,execution_provider?:s,inference?:i,operator:i,"
            "thread:i,depth:i,layer?:i,component?:s}" },
    { "Event", "{id:s,run_id:s,timestamp_ns:i,duration_ms?:n,going?:b,kind:s,"
               "text?:s,session?:i,inference?:i,phase?:s,expected_ms?:n,"
               "input_tokens?:i,tokens?:i,first_ms?:n,tokens_per_second?:n,"
               "rule?:s,severity?:'note|look|trouble',metric?:s,value?:n,"
               "threshold?:n,causes?:[{cause:s,effect_ms?:n}]}" },
    { "Missing", "{member:s,reason:s,remedy?:s}" },
    { "Finding", "{rule:s,severity:'note|look|trouble',text:s,detail?:s,"
                 "gain_ms?:n,evidence:[{name:s,value:n,unit:s}],"
                 "operators?:[i],inferences?:[i]}" },
    { "Session", "{run_id:s,session_id:s,id:i,process:i,pid?:i,model?:s,"
                 "model_path?:s,providers:[s],provider?:s,device?:o,options?:o,"
                 "load_ms?:n,first_load?:b,live:b,inferences:i,failed:i,"
                 "latency?:o,error?:s}" },
    { "Process", "{run_id:s,id:i,pid:i,program?:s,hook_ns?:i,"
                 "ort?:{version?:s,path?:s,language?:s}}" },
    { "Operator",
            "{id?:i,name?:s,op_type?:s,provider?:s,layer?:i,component?:s,"
            "session:i,count:i,total_us?:n,self_us?:n,share?:n,mean_us?:n,"
            "per_inference_us?:n,before_us?:n,method?:s,joules?:n,flops?:n,"
            "after?:[i],"
            "operators?:i,layers?:[[n]],within?:i}" },
    { "Operators", "{run_id:s,traced:i,inferences:i,operators_us?:n,operators:["
                   "Operator],"
                   "gaps?:o,total:i,limit:i,offset:i,missing:[Missing]}" },
    { "Tokens", "{run_id:s,generation:i,generations:[Event],token_index:[i],"
                "token_text?:[s],duration_us:[n],max_us?:[n],traced:[i],"
                "rows:[{name:s,layer?:i,component?:s}],values:[[n]],method?:s,"
                "missing:[Missing]}" },
    { "Series", "{metric:s,unit:s,kind:s,run_id?:s,labels:o,method?:s,"
                "of_seconds?:b,points?:[[n]],pieces?:o,buckets?:[[a]]}" },
    { "Track", "{kind:'phase|section|load|inference|layer|operator',process?:i,"
               "thread?:i,name?:s,provider?:s,start_ns:[i],duration_ns:[i],"
               "of:[i],count?:[i],busy_ns?:[i]}" },
    { 0 },
};
